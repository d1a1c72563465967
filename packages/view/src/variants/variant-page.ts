import { seriesColour } from "@laconic/core/design";
import { escapeHtml, formatNumber, formatPercent } from "@laconic/core/text";
import type { VariantResult } from "@laconic/runtime";
import type { LegendItem } from "../charts/figure.ts";
import { renderPlane } from "../charts/plane-chart.ts";
import type { PlaneChart, PlanePoint } from "../charts/plane.ts";
import type { Plot } from "../charts/plot-library.ts";
import { htmlPage, tableSection, tiles } from "../pages/html-page.ts";
import { byVariant, endsOf, meanOf, type VariantPage } from "./summary.ts";

/** The page of a sweep or an ablation: the plane, the table, what it says in words. */
export function variantPage(plot: Plot, { heading, results, table, remark, said }: VariantPage): string {
  const before = meanOf(results.map((each) => each.before));
  const variants = byVariant(results).length;
  return htmlPage(
    heading,
    [
      tiles([
        [`${formatPercent(before.accuracy)}, ${formatNumber(before.tokens)} tokens`, "before training"],
        [String(variants), variants === 1 ? "variant" : "variants"],
        [String(results.length), results.length === 1 ? "run" : "runs"],
      ]),
      renderPlane(plot, variantPlane(results, "Where each variant ended"), "plane"),
      tableSection(table, "table", remark),
      said.length === 0
        ? ""
        : `<h2>What this shows</h2><ul>${said.map((each) => `<li>${escapeHtml(each)}</li>`).join("")}</ul>`,
    ].join("\n"),
  );
}

/**
 * Where every run ended in the accuracy-token plane: a numbered point a variant, its seeds around it, and where all of them started.
 * A single variant is joined to its start.
 */
export function variantPlane(
  results: readonly VariantResult[],
  title: string,
  budget: number | null = null,
): PlaneChart {
  const variants = byVariant(results);
  const groups = variants.map(({ runs }) => runs);
  const names = variants.map(({ name }) => name);
  const seeds = Math.max(0, ...groups.map((group) => group.length));
  const starts = [
    ...new Map(results.map(({ seed, before }) => [`${seed} ${before.tokens} ${before.accuracy}`, before])).values(),
  ];
  const start = meanOf(starts);
  const { split, endOf } = endsOf(results);
  const ends = groups.map((group) => meanOf(group.map(endOf)));
  const alone = ends.length === 1;
  const points: PlanePoint[] = [
    ...(starts.length > 1 ? starts.map((each) => pointAt(each, "a start", 0, { hollow: true, faint: true })) : []),
    ...groups.flatMap((group, i) =>
      group.length > 1
        ? group.map((result) =>
            pointAt(endOf(result), `${result.variant}, seed ${result.seed}`, seriesColour(i), { faint: true }),
          )
        : [],
    ),
    pointAt(start, "before training", 0, { hollow: true, label: "before" }),
    ...ends.map((end, i) =>
      pointAt(end, names[i] as string, seriesColour(i), { label: alone ? "after" : String(i + 1) }),
    ),
  ];
  const said = ({ accuracy, tokens }: VariantResult["after"]): string =>
    `${formatPercent(accuracy)}, ${formatNumber(tokens)} tokens`;
  const legend: LegendItem[] = [
    { key: { color: 0, hollow: true, mark: "" }, text: `before training: ${said(start)}` },
    ...ends.map((end, i) => ({
      key: { color: seriesColour(i), mark: alone ? "" : String(i + 1) },
      text: `${alone ? "after training" : names[i]}: ${said(end)}`,
    })),
    ...(budget === null ? [] : [{ key: { color: 0, dash: "5 4" }, text: `budget: ${formatNumber(budget)} tokens` }]),
  ];
  const over =
    seeds > 1
      ? `Large points are means of ${seedsText(groups)}, small ones single seeds.`
      : "Each point is one run of one seed.";
  return {
    title,
    level: 2,
    points,
    legend,
    budget,
    joined: alone ? "path" : "none",
    logarithmic: false,
    xLabel: "tokens per episode",
    n: seedsText(groups),
    caption: `${over} Better is up and to the left.`,
    remark: `${split === "test" ? "Test problems, their starts validation problems" : "Validation problems"}; ${seedsText(groups)} of each variant.`,
  };
}

/** `3 seeds`, or `2 to 3 seeds` while some are still in training. */
function seedsText(groups: readonly (readonly VariantResult[])[]): string {
  const counts = groups.map((group) => group.length);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return `${least === most ? most : `${least} to ${most}`} ${most === 1 ? "seed" : "seeds"}`;
}

function pointAt(
  { tokens, accuracy }: VariantResult["after"],
  name: string,
  color: number,
  more: Partial<PlanePoint>,
): PlanePoint {
  return { tokens, accuracy, name, color, interval: null, ...more };
}
