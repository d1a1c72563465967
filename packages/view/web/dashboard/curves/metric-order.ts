import type { MetricInfo } from "../../../src/protocol.ts";

/** Curves of the evaluations. A run is evaluated less often than trained, so these curves have their own steps. */
export const evaluationMetrics: readonly MetricInfo[] = [
  { name: "validation/accuracy", unit: "share", meaning: "Accuracy on the validation set, 0 to 1." },
  { name: "validation/tokens", unit: "tokens", meaning: "Tokens per episode on the validation set." },
];

export function isEvaluationMetric(name: string): boolean {
  return evaluationMetrics.some((metric) => metric.name === name);
}

/** What is looked at first, then the others by name. */
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
/** Lines from one corner to the other, and what a machine was doing: last. */
const last = /^(?:step$|progress\/|timing_s\/|optim\/lr$)/u;

/** Metrics of some runs, each once, in the order in which they are shown. */
export function orderedMetrics(lists: readonly (readonly MetricInfo[])[]): readonly MetricInfo[] {
  const byName = new Map<string, MetricInfo>();
  for (const metric of lists.flat())
    if (metric.name !== "step") byName.set(metric.name, byName.get(metric.name) ?? metric);
  const place = ({ name }: MetricInfo): number => {
    const index = first.indexOf(name);
    if (index !== -1) return index;
    return last.test(name) ? first.length + 1 : first.length;
  };
  return [...byName.values()].toSorted((a, b) => place(a) - place(b) || (a.name < b.name ? -1 : 1));
}

/** Those whose name or meaning has all the words. */
export function metricsMatching(metrics: readonly MetricInfo[], text: string): readonly MetricInfo[] {
  const words = text
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");
  return metrics.filter(({ name, meaning }) =>
    words.every((word) => `${name} ${meaning ?? ""}`.toLowerCase().includes(word)),
  );
}
