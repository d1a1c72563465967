import { seriesColour } from "@laconic/core/design";
import type { ChangesOfStep } from "@laconic/trainer/reading";
import { formatNumber } from "@laconic/core/text";
import type { LineChart } from "../charts/line-chart.ts";
import { smooth, type Point, type Series } from "../charts/series.ts";

/** One logged step: metric name to value. */
export type MetricRow = Readonly<Record<string, number>>;

/** Steps that a solid line is the mean of. */
export const smoothing = 8;

/** The policies that learned, by name. */
export function policiesOf(rows: readonly MetricRow[]): string[] {
  return names(rows, /^policy\/([\w-]+)\/optim\/lr$/);
}

/** The charts of a run, step by step. */
export function runCharts(
  rows: readonly MetricRow[],
  budgetTokens: number | null,
  changed: readonly ChangesOfStep[] = [],
): LineChart[] {
  const changes = changed.map(({ step: x, text }) => ({ x, label: `step ${x}: ${text}` }));
  const terms = names(rows, /^rewards\/(.+)\/mean$/);
  return [
    {
      xLabel: "step",
      title: "Accuracy",
      caption: "Share of training episodes answered rightly, sampled.",
      unit: "%",
      yLabel: "share of episodes",
      yDomain: [0, 1],
      series: pairOf(rows, "task/accuracy", "accuracy", 1),
    },
    { ...tokensChart(rows, budgetTokens, changed), changes },
    {
      xLabel: "step",
      title: "Price of a token (λ)",
      caption: "The dual variable of Eq. 5: it rises while the team is over budget.",
      unit: "per token",
      yLabel: "reward per token",
      series: [series(rows, "budget/tokens/lambda", "λ", 4)],
      changes,
    },
    silenceChart(rows),
    updateChart(rows),
    ...supervisedChart(rows),
    {
      xLabel: "step",
      title: "Reward terms",
      caption: "Mean of each term of Eq. 1; costs are negative.",
      unit: "per episode",
      yLabel: "reward per episode",
      series: terms.map((term, i) => series(rows, `rewards/${term}/mean`, term, seriesColour(i))),
    },
    ...measureCharts(rows),
  ];
}

function tokensChart(
  rows: readonly MetricRow[],
  budgetTokens: number | null,
  changed: readonly ChangesOfStep[],
): LineChart {
  const when = changed.some(({ text }) => text.includes("budget")) ? " at the end" : "";
  return {
    xLabel: "step",
    title: "Tokens per episode",
    caption: "Written by the whole team, end tokens included.",
    unit: "tokens",
    yLabel: "tokens per episode",
    series: pairOf(rows, "tokens/episode_mean", "written", 2),
    ...(budgetTokens !== null && {
      references: [{ y: budgetTokens, label: `budget${when}: ${formatNumber(budgetTokens)} tokens per episode` }],
    }),
  };
}

function silenceChart(rows: readonly MetricRow[]): LineChart {
  const agents = names(rows, /^silence\/(.+)\/frac$/);
  return {
    xLabel: "step",
    title: "Silence",
    caption: `Share of turns in which an agent said nothing, means over ${smoothing} steps.`,
    unit: "%",
    yLabel: "share of turns",
    yDomain: [0, 1],
    series: agents.map((agent, i) => ({
      ...series(rows, `silence/${agent}/frac`, agent, seriesColour(i)),
      points: smooth(pointsOf(rows, `silence/${agent}/frac`), smoothing),
    })),
  };
}

/** How the update went: of several policies their entropy, of one what was clipped. */
function updateChart(rows: readonly MetricRow[]): LineChart {
  const policies = policiesOf(rows);
  if (policies.length > 1)
    return {
      xLabel: "step",
      title: "Entropy",
      caption: "Mean entropy of a token, by policy.",
      unit: "nats",
      yLabel: "nats per token",
      series: policies.map((policy, i) => series(rows, `policy/${policy}/actor/entropy`, policy, seriesColour(i))),
    };
  return {
    xLabel: "step",
    title: "Clip fraction",
    caption: "Share of messages whose ratio was clipped, by side.",
    unit: "%",
    yLabel: "share of messages",
    series: [
      series(rows, "clip_ratio/low_mean", "below 1 − ε", 1),
      series(rows, "clip_ratio/high_mean", "above 1 + ε", 2),
    ],
  };
}

/** Of runs that learn supervised examples beside their rewards. */
function supervisedChart(rows: readonly MetricRow[]): LineChart[] {
  const losses = names(rows, /^((?:policy\/[\w-]+\/)?supervised\/loss)$/);
  if (losses.length === 0) return [];
  return [
    {
      xLabel: "step",
      title: "Supervised examples",
      caption: "Mean cross-entropy of the examples that are learned beside the rewards.",
      unit: "nats",
      yLabel: "nats per token",
      series: losses.map((name, i) => series(rows, name, name.split("/").at(-3) ?? "loss", seriesColour(i))),
    },
  ];
}

/** What rewards count beside their terms: one chart of names alone, and one a family, such as `scheme/fallback`. */
function measureCharts(rows: readonly MetricRow[]): LineChart[] {
  const measures = names(rows, /^measures\/(.+)$/);
  const familyOf = (name: string): string => (name.includes("/") ? name.slice(0, name.indexOf("/")) : "");
  return [...new Set(measures.map((name) => familyOf(name)))].map((family) => ({
    xLabel: "step",
    unit: "",
    yLabel: "mean per episode",
    title: family === "" ? "What the reward counts" : `What the reward counts: ${family}`,
    caption:
      family === "" ? "Mean of each part over the step's episodes." : "Share or mean over the step's episodes of each.",
    series: measures
      .filter((name) => familyOf(name) === family)
      .map((name, i) =>
        series(rows, `measures/${name}`, name.slice(family === "" ? 0 : family.length + 1), seriesColour(i)),
      ),
  }));
}

/** The raw values, faint, under their trailing mean. */
function pairOf(rows: readonly MetricRow[], metric: string, name: string, hue: number): Series[] {
  const points = pointsOf(rows, metric);
  return [
    { name: `${name}, each step`, points, color: hue, faint: true },
    { name: `${name}, mean of ${smoothing} steps`, points: smooth(points, smoothing), color: hue },
  ];
}

function series(rows: readonly MetricRow[], metric: string, name: string, hue: number): Series {
  return { name, points: pointsOf(rows, metric), color: hue };
}

/** A step whose row lacks the metric has no value. */
function pointsOf(rows: readonly MetricRow[], metric: string): Point[] {
  return rows.flatMap(({ step, [metric]: y = Number.NaN }) => (step === undefined ? [] : [{ x: step, y }]));
}

function names(rows: readonly MetricRow[], pattern: RegExp): string[] {
  const keys = new Set(rows.toReversed().flatMap((row) => Object.keys(row)));
  return [...keys].flatMap((key) => pattern.exec(key)?.[1] ?? []);
}
