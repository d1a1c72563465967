import { grouped } from "@laconic/core/numeric";
import { searchWords } from "../../../src/data/select.ts";
import type { MetricInfo } from "../../../src/protocol.ts";

/** Runs are evaluated less often than trained, so these have separate steps. */
export const evaluationMetrics: readonly MetricInfo[] = [
  { name: "validation/accuracy", unit: "share", meaning: "Accuracy on the validation set, 0 to 1." },
  { name: "validation/tokens", unit: "tokens", meaning: "Tokens per episode on the validation set." },
];

/** Others follow by name. */
const first: readonly string[] = [
  "validation/accuracy",
  "validation/tokens",
  "task/accuracy",
  "tokens/episode_mean",
  "budget/tokens/lambda",
  "silence/frac",
  "reward/mean",
  "actor/entropy",
  "actor/ppo_kl",
  "actor/grad_norm",
  "actor/pg_loss",
];
const machine = /^(?:timing_s|perf)\//u;

export function orderedMetrics(lists: readonly (readonly MetricInfo[])[]): readonly MetricInfo[] {
  const metrics = grouped(lists.flat(), ({ name }) => name).map(([metric]) => metric);
  const rank = ({ name }: MetricInfo): number => {
    const index = first.indexOf(name);
    if (index !== -1) return index;
    return machine.test(name) ? first.length + 1 : first.length;
  };
  return metrics
    .filter(({ name }) => name !== "step")
    .toSorted((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
}

interface Section {
  readonly name: string;
  readonly metrics: readonly MetricInfo[];
}

export function sectionsOf(metrics: readonly MetricInfo[], pinned: readonly string[]): readonly Section[] {
  const names = metrics.map(({ name }) => (pinned.includes(name) ? "Pinned" : sectionOf(name)));
  const isAlone = (name: string): boolean => names.indexOf(name) === names.lastIndexOf(name) && !fixed.includes(name);
  const sections = names.map((name) => (isAlone(name) ? "Other" : name));
  const prefixes = [...new Set(sections)].filter((name) => !fixed.includes(name));
  return ["Pinned", "Main", ...prefixes, "Other", "Machine"]
    .map((name) => ({ name, metrics: metrics.filter((_, i) => sections[i] === name) }))
    .filter((section) => section.metrics.length > 0);
}

const fixed: readonly string[] = ["Pinned", "Main", "Other", "Machine"];

function sectionOf(metric: string): string {
  if (first.includes(metric)) return "Main";
  if (machine.test(metric)) return "Machine";
  const policy = /^policy\/[^/]+/u.exec(metric)?.[0];
  return policy ?? (metric.includes("/") ? metric.split("/")[0]! : "Other");
}

export function metricsMatching(metrics: readonly MetricInfo[], text: string): readonly MetricInfo[] {
  const words = searchWords(text);
  return metrics.filter(({ name, meaning }) =>
    words.every((word) => `${name} ${meaning ?? ""}`.toLowerCase().includes(word)),
  );
}

/** Steps ascend. */
export interface Series {
  readonly steps: readonly number[];
  /** Null without a finite value. */
  readonly values: readonly (number | null)[];
}

/** Exponential mean with `weight` on the past, corrected for the bias towards zero. */
export function smooth(values: readonly (number | null)[], weight: number): readonly (number | null)[] {
  if (weight <= 0) return values;
  let [mean, total] = [0, 0];
  return values.map((value) => {
    if (value === null) return null;
    mean = weight * mean + (1 - weight) * value;
    total = weight * total + (1 - weight);
    return mean / total;
  });
}

export function meanSeries(runs: readonly Series[]): Series & Readonly<Record<"low" | "high", Series["values"]>> {
  const points = runs.flatMap(({ steps, values }) => steps.map((step, row) => ({ step, value: values[row] ?? null })));
  const byStep = grouped(points, ({ step }) => step).toSorted(([a], [b]) => a.step - b.step);
  const column = (of: (values: readonly number[]) => number): (number | null)[] =>
    byStep.map((same) => {
      const values = same.flatMap(({ value }) => value ?? []);
      return values.length === 0 ? null : of(values);
    });
  return {
    steps: byStep.map(([{ step }]) => step),
    values: column((values) => values.reduce((sum, value) => sum + value, 0) / values.length),
    low: column((values) => Math.min(...values)),
    high: column((values) => Math.max(...values)),
  };
}

/**
 * Rows that draw like all rows of a range: minimum and maximum of each part in order, or a gap. An extra row on each
 * side extends lines to the border.
 */
export function sampledRows(
  { steps, values }: Series,
  [low, high]: readonly [number, number],
  maxPoints: number,
): readonly number[] {
  const from = Math.max(0, rowAt(steps, low) - 1);
  const to = Math.min(steps.length, rowAt(steps, high) + 2);
  if (to - from <= maxPoints) return Array.from({ length: to - from }, (_, i) => from + i);
  const parts = Math.max(1, Math.floor(maxPoints / 2));
  const rows: number[] = [];
  for (let part = 0; part < parts; part++) {
    const end = from + Math.floor(((part + 1) * (to - from)) / parts);
    let [lowest, highest] = [-1, -1];
    for (let row = from + Math.floor((part * (to - from)) / parts); row < end; row++) {
      const value = values[row];
      if (typeof value !== "number") continue;
      if (lowest < 0 || value < values[lowest]!) lowest = row;
      if (highest < 0 || value > values[highest]!) highest = row;
    }
    if (lowest < 0) rows.push(end - 1);
    else rows.push(...new Set([Math.min(lowest, highest), Math.max(lowest, highest)]));
  }
  return rows;
}

function rowAt(steps: readonly number[], step: number): number {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (steps[middle]! < step) low = middle + 1;
    else high = middle;
  }
  return low;
}
