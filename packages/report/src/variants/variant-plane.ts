import { formatNumber, formatPercent } from "@laconic/core/text";
import type { LegendItem } from "../charts/figure.ts";
import type { PlaneChart, PlanePoint } from "../charts/plane.ts";
import type { VariantResult } from "@laconic/runtime";

const colours = 7;

/**
 * Where every run ended in the accuracy-token plane: a numbered point a variant, its seeds around it, and where all of them started.
 * A single variant is joined to its start.
 */
export function variantPlane(
  results: readonly VariantResult[],
  title: string,
  budget: number | null = null,
): PlaneChart {
  const names = [...new Set(results.map(({ variant }) => variant))];
  const groups = names.map((name) => results.filter(({ variant }) => variant === name));
  const seeds = Math.max(0, ...groups.map((group) => group.length));
  const starts = [
    ...new Map(results.map(({ seed, before }) => [`${seed} ${before.tokens} ${before.accuracy}`, before])).values(),
  ];
  const start = meanOf(starts);
  const ends = groups.map((group) => meanOf(group.map(({ after }) => after)));
  const alone = ends.length === 1;
  const points: PlanePoint[] = [
    ...(starts.length > 1 ? starts.map((each) => pointAt(each, "a start", 0, { hollow: true, faint: true })) : []),
    ...groups.flatMap((group, i) =>
      group.length > 1
        ? group.map(({ after, seed, variant }) =>
            pointAt(after, `${variant}, seed ${seed}`, colourOf(i), { faint: true }),
          )
        : [],
    ),
    pointAt(start, "before training", 0, { hollow: true, label: "before" }),
    ...ends.map((end, i) => pointAt(end, names[i] as string, colourOf(i), { label: alone ? "after" : String(i + 1) })),
  ];
  const said = ({ accuracy, tokens }: VariantResult["after"]): string =>
    `${formatPercent(accuracy)}, ${formatNumber(tokens)} tokens`;
  const legend: LegendItem[] = [
    { key: { color: 0, hollow: true, mark: "" }, text: `before training: ${said(start)}` },
    ...ends.map((end, i) => ({
      key: { color: colourOf(i), mark: alone ? "" : String(i + 1) },
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
    caption: `${over} Better is up and to the left.`,
    remark: `Held-out problems; ${seedsText(groups)} of each variant.`,
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

function colourOf(index: number): number {
  return (index % colours) + 1;
}

function meanOf(sides: readonly VariantResult["after"][]): VariantResult["after"] {
  const mean = (pick: (side: VariantResult["after"]) => number): number =>
    sides.reduce((sum, side) => sum + pick(side), 0) / Math.max(1, sides.length);
  return { accuracy: mean(({ accuracy }) => accuracy), tokens: mean(({ tokens }) => tokens) };
}
