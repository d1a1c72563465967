import { basename } from "node:path";
import { escapeHtml } from "@laconic/core/text";
import { valuesTable } from "../charts/figure.ts";
import { columnsOf, printable } from "../runs/columns.ts";
import { compareRuns } from "../runs/compare-runs.ts";
import { comparisonRows, comparisonText } from "../runs/comparison-text.ts";
import { readReport } from "../run/run-report.ts";
import { readRunSummary, runRows } from "../runs/list-runs.ts";

/** Jupyter's MIME bundle: the same content in several forms, of which the notebook takes the best that it can show. */
export interface MimeBundle {
  readonly "text/plain": string;
  readonly "text/html": string;
}

/** A value that says how a notebook shows it. The symbol is that of Deno's kernel, `Deno.jupyter.$display`. */
export interface Shown {
  readonly [display: symbol]: () => MimeBundle;
}

const display: unique symbol = Symbol.for("Jupyter.display") as never;

/**
 * A run: its state and figures, its warnings, and the accuracy-token plane once it has been evaluated.
 * @throws LaconicError `run_missing` when there is no run
 */
export async function showRun(directory: string): Promise<Shown> {
  const { warnings, picture } = await readReport(directory);
  const summary = await readRunSummary(directory);
  const [head = [], ...rows] = runRows(summary ? [summary] : [], directory);
  const isEvaluated = (summary?.after ?? null) !== null;
  const drawn = isEvaluated ? imageOf(await picture(), await picture("narrow")) : "";
  return shown(
    [...columnsOf([head, ...rows]), ...warnings.map((warning) => printable(warning))].join("\n"),
    `${styled(valuesTable(head, rows, "", basename(directory)))}${drawn}${list(warnings)}`,
  );
}

/**
 * What differs between runs: settings, and figures with their intervals, seeds of the same settings together.
 * @throws LaconicError `run_missing` when one of the folders is no run
 */
export async function showComparison(directories: readonly string[]): Promise<Shown> {
  const comparison = await compareRuns(directories);
  const { groups, settings, figures } = comparisonRows(comparison);
  const table = ([head = [], ...rows]: readonly (readonly string[])[], label: string): string =>
    styled(
      valuesTable(
        head.map(printable),
        rows.map((row) => row.map((cell) => printable(cell))),
        "",
        label,
      ),
    );
  return shown(
    comparisonText(comparison),
    `${list(groups)}${settings.length === 0 ? "" : table(settings, "Settings")}${table(figures, "Figures")}${list(comparison.notes)}`,
  );
}

function shown(plain: string, html: string): Shown {
  return { [display]: () => ({ "text/plain": plain, "text/html": html }) };
}

/** Drawings as an image: nothing of them reaches the notebook's page, neither styles nor scripts. */
function imageOf(wide: string, narrow: string): string {
  const [large, small] = [wide, narrow].map(
    (svg) => `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`,
  );
  return `<picture><source media="(max-width:600px)" srcset="${small}"><img alt="Accuracy against tokens per episode" style="display:block;max-width:100%;margin:8px 0" src="${large}"></picture>`;
}

/** What has to hold on any front end's page stands with each cell: some have no style for tables, others lay numbers and words to the right. */
function styled(table: string): string {
  return table
    .replace('class="scroll"', 'style="overflow-x:auto"')
    .replaceAll(/<t([hd])\b/gu, '<t$1 style="padding:4px 16px 4px 0;text-align:left;white-space:nowrap"');
}

function list(texts: readonly string[]): string {
  return texts.length === 0
    ? ""
    : `<ul>${texts.map((text) => `<li>${escapeHtml(printable(text))}</li>`).join("")}</ul>`;
}
