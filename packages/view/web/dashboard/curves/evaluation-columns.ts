import type { ColumnsBlock } from "../../../src/columns-block.ts";
import type { MetricInfo, RunEvaluation } from "../../../src/protocol.ts";

/** Curves of the evaluations. A run is evaluated less often than trained, so these curves have their own steps. */
export const evaluationMetrics: readonly MetricInfo[] = [
  { name: "validation/accuracy", unit: "share", meaning: "Accuracy on the validation set, 0 to 1." },
  { name: "validation/tokens", unit: "tokens", meaning: "Tokens per episode on the validation set." },
];

export function isEvaluationMetric(name: string): boolean {
  return evaluationMetrics.some((metric) => metric.name === name);
}

export function evaluationColumns(evaluations: readonly RunEvaluation[], from: number): ColumnsBlock {
  const rows = evaluations.slice(from);
  const column = (valueOf: (row: RunEvaluation) => number): Float64Array => Float64Array.from(rows, valueOf);
  const columns = new Map([
    ["step", column(({ step }) => step)],
    ["validation/accuracy", column(({ accuracy }) => accuracy)],
    ["validation/tokens", column(({ tokens }) => tokens)],
  ]);
  return { from, every: 1, columns };
}
