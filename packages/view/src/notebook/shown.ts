import { basename } from "node:path";
import { draw, markupOf, type Drawing } from "../charts/drawing.ts";
import { columnsOf, printable } from "../runs/columns.ts";
import { compareRuns } from "../runs/compare-runs.ts";
import { comparisonRows, comparisonText } from "../runs/comparison-text.ts";
import { readReport } from "../run/run-report.ts";
import { readRunSummary, runRows } from "../runs/list-runs.ts";

/** Jupyter MIME bundle: one content in several formats. */
export interface MimeBundle {
  readonly "text/plain": string;
  readonly "text/html": string;
}

/** Value with a notebook display. The symbol is Deno's `Deno.jupyter.$display`. */
export interface Shown {
  readonly [display: symbol]: () => MimeBundle;
}

const display: unique symbol = Symbol.for("Jupyter.display") as never;

/**
 * Shows a run's state, figures, warnings and accuracy-token plane.
 * @throws LaconicError `run_missing` for a folder without a run
 */
export async function showRun(directory: string): Promise<Shown> {
  const { warnings, picture } = await readReport(directory);
  const summary = await readRunSummary(directory);
  const rows = runRows(summary ? [summary] : [], directory);
  const isEvaluated = (summary?.after ?? null) !== null;
  return shown([...columnsOf(rows), ...warnings.map((warning) => printable(warning))].join("\n"), [
    table(rows, basename(directory)),
    ...(isEvaluated ? [image(picture(), picture("narrow"))] : []),
    ...list(warnings),
  ]);
}

/** Shows differences between runs, grouped over seeds. @throws LaconicError `run_missing` for a folder without a run */
export async function showComparison(directories: readonly string[]): Promise<Shown> {
  const comparison = await compareRuns(directories);
  const { groups, settings, figures } = comparisonRows(comparison);
  return shown(comparisonText(comparison), [
    ...list(groups),
    ...(settings.length > 0 ? [table(settings, "Settings")] : []),
    table(figures, "Figures"),
    ...list(comparison.notes),
  ]);
}

function shown(plain: string, html: readonly Drawing[]): Shown {
  return { [display]: () => ({ "text/plain": plain, "text/html": html.map((each) => markupOf(each)).join("") }) };
}

/** Images, because drawing styles must not affect the notebook. */
function image(wide: string, narrow: string): Drawing {
  const address = (svg: string): string => `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;
  return draw(
    "picture",
    {},
    draw("source", { media: "(max-width:600px)", srcset: address(narrow) }),
    draw("img", {
      alt: "Accuracy against tokens per episode",
      style: "display:block;max-width:100%;margin:8px 0",
      src: address(wide),
    }),
  );
}

/** Inline styles, because some front ends do not style tables. */
const style = "padding:4px 16px 4px 0;text-align:left;white-space:nowrap";

function table(rows: readonly (readonly string[])[], label: string): Drawing {
  const [head = [], ...body] = rows.map((row) => row.map((cell) => printable(cell)));
  const heading = (text: string, scope: "col" | "row"): Drawing => draw("th", { style, scope }, text);
  const bodyRows = body.map(([first = "", ...cells]) =>
    draw(
      "tr",
      {},
      heading(first, "row"),
      cells.map((cell) => draw("td", { style }, cell)),
    ),
  );
  return draw(
    "div",
    { style: "overflow-x:auto", role: "region", "aria-label": label, tabindex: 0 },
    draw(
      "table",
      {},
      draw(
        "thead",
        {},
        draw(
          "tr",
          {},
          head.map((cell) => heading(cell, "col")),
        ),
      ),
      draw("tbody", {}, bodyRows),
    ),
  );
}

function list(texts: readonly string[]): Drawing[] {
  const items = texts.map((text) => draw("li", {}, printable(text)));
  return items.length === 0 ? [] : [draw("ul", {}, items)];
}
