import { counted, formatNumber, formatPercent } from "@laconic/core/text";
import type { PlaneChart, PlanePoint } from "../charts/plane.ts";

/** One evaluation: a place in the accuracy-token plane. */
export interface FrontierPoint {
  readonly step: number;
  /** Mean tokens per episode. */
  readonly tokens: number;
  readonly accuracy: number;
  /** 95 % interval of the accuracy; null where it is not known. */
  readonly interval: readonly [number, number] | null;
  /** Validation problems; 0 where a run from before does not say. */
  readonly problems: number;
}

/**
 * Where the team started, the path it took, where it ended.
 * @param earlier - the team before the warm start of a model that had some
 */
export function runPlane(
  evaluations: readonly FrontierPoint[],
  budget: number | null,
  earlier: Pick<FrontierPoint, "tokens" | "accuracy"> | null = null,
): PlaneChart {
  const last = evaluations.length - 1;
  const problems = evaluations.at(-1)?.problems ?? 0;
  const beginning = earlier ? "after the warm start" : "start";
  const said = ({ accuracy, tokens }: Pick<FrontierPoint, "tokens" | "accuracy">): string =>
    `${formatPercent(accuracy)}, ${formatNumber(tokens)} tokens`;
  const trained: PlanePoint[] = evaluations.map(({ step, tokens, accuracy, interval }, i) => ({
    tokens,
    accuracy,
    interval,
    name: `step ${step}`,
    color: i === 0 ? 2 : i === last ? 3 : 1,
    ...(i === 0 && last > 0 ? { label: beginning } : i === last && { label: "end" }),
  }));
  const points: PlanePoint[] = [
    ...(earlier
      ? [{ ...earlier, interval: null, name: "before the warm start", label: "before", color: 0, hollow: true }]
      : []),
    ...trained,
  ];
  const [start, end] = [evaluations[0], evaluations.at(-1)];
  return {
    title: "Accuracy against tokens",
    level: 2,
    xLabel: "tokens per episode",
    n: problems === 0 ? "" : counted(problems, "problem"),
    joined: "path",
    caption: `Each point is an evaluation on ${problems === 0 ? "" : `${problems} `}validation problems; bars are 95 % intervals. Better is up and to the left.`,
    points,
    budget,
    logarithmic: false,
    legend: [
      ...(earlier
        ? [{ key: { color: 0, hollow: true, mark: "" }, text: `before the warm start: ${said(earlier)}` }]
        : []),
      ...(start && last > 0
        ? [{ key: { color: 2, mark: "" }, text: `${beginning}, step ${start.step}: ${said(start)}` }]
        : []),
      ...(end ? [{ key: { color: 3, mark: "" }, text: `end, step ${end.step}: ${said(end)}` }] : []),
      ...(budget === null ? [] : [{ key: { color: 0, dash: "5 4" }, text: `budget: ${formatNumber(budget)} tokens` }]),
    ],
    remark: `Wilson's 95 % intervals${problems === 0 ? "" : `, ${problems} problems at each step`}.`,
  };
}
