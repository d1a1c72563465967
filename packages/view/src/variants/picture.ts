import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { seriesColour } from "@laconic/core/design";
import { formatNumber, formatPercent } from "@laconic/core/text";
import type { VariantResult } from "@laconic/runtime";
import { planeFile } from "../charts/plane-file.ts";
import type { PlaneChart, PlanePoint } from "../charts/plane.ts";
import { byVariant, endsOf, meanSide } from "./summary.ts";

/** Writes `NAME.svg`: the accuracy-token plane with all variants. */
export async function writeVariantPicture(
  folder: string,
  name: string,
  results: readonly VariantResult[],
): Promise<void> {
  if (results.length === 0) return;
  const plane = variantPlane(results, "Where each variant ended");
  await writeFile(join(folder, `${name}.svg`), planeFile(plane, "wide"));
}

/** Numbered points of variants with their seeds, and the start. A single variant is joined to its start. */
export function variantPlane(
  results: readonly VariantResult[],
  title: string,
  budget: number | null = null,
): PlaneChart {
  const { endOf } = endsOf(results);
  const variants = byVariant(results).map(({ name, runs }, i) => {
    const color = seriesColour(i);
    return { name, runs, color, end: meanSide(runs.map(endOf)) };
  });
  const starts = [
    ...new Map(results.map(({ seed, before }) => [`${seed} ${before.tokens} ${before.accuracy}`, before])).values(),
  ];
  const start = meanSide(starts);
  const isAlone = variants.length === 1;
  const faint = (end: VariantResult["after"], name: string, color: number): PlanePoint => ({
    ...end,
    name,
    color,
    look: "faint",
  });
  const figures = ({ accuracy, tokens }: VariantResult["after"]): string =>
    `${formatPercent(accuracy)}, ${formatNumber(tokens)} tokens`;
  const counts = variants.map(({ runs }) => runs.length);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return {
    title,
    n: `${least === most ? most : `${least} to ${most}`} ${most === 1 ? "seed" : "seeds"}`,
    points: [
      ...(starts.length > 1 ? starts.map((each) => faint(each, "a start", 0)) : []),
      ...variants.flatMap(({ name, runs, color }) =>
        runs.length > 1 ? runs.map((run) => faint(endOf(run), `${name}, seed ${run.seed}`, color)) : [],
      ),
      { ...start, name: "before training", color: 0, look: "ring", label: "before" },
      ...variants.map(({ name, color, end }, i) => ({
        ...end,
        name,
        color,
        label: isAlone ? "after" : String(i + 1),
      })),
    ],
    lines: isAlone ? [{ positions: [start, ...variants.map(({ end }) => end)], color: 1, look: "path" }] : [],
    budget,
    legend: [
      { color: 0, isRing: true, text: `before training: ${figures(start)}` },
      ...variants.map(({ name, color, end }, i) => ({
        color,
        text: `${isAlone ? "after training" : `${i + 1}  ${name}`}: ${figures(end)}`,
      })),
    ],
  };
}
