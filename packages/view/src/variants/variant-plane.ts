import { seriesColour } from "@laconic/core/design";
import { formatNumber, formatPercent } from "@laconic/core/text";
import type { VariantResult } from "@laconic/runtime";
import type { PlaneChart, PlanePoint } from "../charts/plane.ts";
import { byVariant, endsOf, meanOf } from "./summary.ts";

/**
 * Where every run ended in the accuracy-token plane: a numbered point for each variant, its seeds around it, and where all of
 * them started. A single variant is joined to its start.
 */
export function variantPlane(
  results: readonly VariantResult[],
  title: string,
  budget: number | null = null,
): PlaneChart {
  const variants = byVariant(results);
  const starts = [
    ...new Map(results.map(({ seed, before }) => [`${seed} ${before.tokens} ${before.accuracy}`, before])).values(),
  ];
  const start = meanOf(starts);
  const { endOf } = endsOf(results);
  const ends = variants.map(({ runs }) => meanOf(runs.map(endOf)));
  const isAlone = ends.length === 1;
  const points: PlanePoint[] = [
    ...(starts.length > 1
      ? starts.map((each) => ({ ...each, name: "a start", color: 0, look: "faint" as const }))
      : []),
    ...variants.flatMap(({ runs }, i) =>
      runs.length > 1
        ? runs.map((result) => ({
            ...endOf(result),
            name: `${result.variant}, seed ${result.seed}`,
            color: seriesColour(i),
            look: "faint" as const,
          }))
        : [],
    ),
    { ...start, name: "before training", color: 0, look: "ring", label: "before" },
    ...ends.map((end, i) => ({
      ...end,
      name: variants[i]?.name ?? "",
      color: seriesColour(i),
      label: isAlone ? "after" : String(i + 1),
    })),
  ];
  const figures = ({ accuracy, tokens }: VariantResult["after"]): string =>
    `${formatPercent(accuracy)}, ${formatNumber(tokens)} tokens`;
  return {
    title,
    n: seedsText(variants.map(({ runs }) => runs.length)),
    points,
    lines: isAlone ? [{ positions: [start, ...ends], color: 1, look: "path" }] : [],
    budget,
    legend: [
      { color: 0, isRing: true, text: `before training: ${figures(start)}` },
      ...ends.map((end, i) => ({
        color: seriesColour(i),
        text: `${isAlone ? "after training" : `${i + 1}  ${variants[i]?.name ?? ""}`}: ${figures(end)}`,
      })),
    ],
  };
}

/** `3 seeds`, or `2 to 3 seeds` while some are in training. */
function seedsText(counts: readonly number[]): string {
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return `${least === most ? most : `${least} to ${most}`} ${most === 1 ? "seed" : "seeds"}`;
}
