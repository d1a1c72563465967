import { formatNumber } from "@laconic/core/text";
import type { RunEvaluation } from "@laconic/trainer/reading";
import { figuresText, type PlaneChart, type PlanePoint } from "./plane.ts";

interface EvaluatedRun {
  readonly evaluations: readonly RunEvaluation[];
  /** Model before a warm start. */
  readonly before: RunEvaluation | null;
  readonly budget: number | null;
}

const ring = { look: "ring", color: 1, interval: null } as const;

export function runPlane({ evaluations, before, budget }: EvaluatedRun, current: RunEvaluation): PlaneChart {
  const path = before ? [before, ...evaluations] : evaluations;
  const [start = current, end = current] = [evaluations[0], evaluations.at(-1)];
  const rings: (readonly [row: RunEvaluation, label: string])[] = [];
  if (before) rings.push([before, "before the warm start"]);
  if (start !== current) rings.push([start, "start"]);
  if (end !== current) rings.push([end, "end"]);
  const label = current === end ? "end" : current === start ? "start" : `step ${current.step}`;
  return {
    title: "Validation accuracy over tokens per episode",
    n: problemsText(evaluations),
    points: [
      ...rings.map(([row, name]): PlanePoint => ({ ...row, ...ring, label: name, name })),
      { ...current, color: 1, name: `step ${current.step}`, label },
    ],
    lines: [
      { positions: path, color: 1, look: "faint" },
      { positions: path.slice(0, path.indexOf(current) + 1), color: 1, look: "path" },
    ],
    budget,
    legend: [
      ...rings.map(([row, name]) => ({ color: 1, isRing: true, text: `${name}: ${figuresText(row)}` })),
      { color: 1, text: `${label}, step ${current.step}: ${figuresText(current)}` },
    ],
  };
}

export function problemsText(rows: readonly Pick<RunEvaluation, "problems">[]): string {
  const counts = rows.map(({ problems }) => problems);
  const [min, max] = [Math.min(...counts), Math.max(...counts)];
  return `${min === max ? formatNumber(min) : `${formatNumber(min)} to ${formatNumber(max)}`} validation problems`;
}
