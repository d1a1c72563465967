import type { PlaneChart, PlanePoint } from "../../../src/charts/plane.ts";
import type { RunDetail, RunEvaluation } from "../../../src/protocol.ts";
import { PlanePanel, problemsText } from "../plane/plane.tsx";

interface StoryPlaneProps {
  readonly detail: RunDetail;
  /** The evaluation that the slider stands at. */
  readonly current: RunEvaluation;
}

/** Where the team started, its path to the step that is shown, and where it ended. */
export function StoryPlane({ detail: { evaluations, summary }, current }: StoryPlaneProps) {
  const before = summary.warmStart?.before ?? null;
  const path = before ? [before, ...evaluations] : evaluations;
  const [start = current, end = current] = [evaluations[0], evaluations.at(-1)];
  const ring = (row: RunEvaluation, label: string): PlanePoint => ({
    ...row,
    interval: null,
    look: "ring",
    color: 1,
    label,
    name: label,
  });
  const chart: PlaneChart = {
    title: "Validation accuracy over tokens per episode",
    n: problemsText(evaluations),
    points: [
      ...(before ? [ring(before, "before the warm start")] : []),
      ...(start === current ? [] : [ring(start, "start")]),
      ...(end === current ? [] : [ring(end, "end")]),
      {
        ...current,
        color: 1,
        name: `step ${current.step}`,
        label: current === end ? "end" : current === start ? "start" : `step ${current.step}`,
      },
    ],
    lines: [
      { positions: path, color: 1, look: "faint" },
      { positions: path.slice(0, path.indexOf(current) + 1), color: 1, look: "path" },
    ],
    budget: summary.budgetTokens,
    legend: [],
  };
  return <PlanePanel chart={chart} ratio={0.9} />;
}
