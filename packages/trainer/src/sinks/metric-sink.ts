import type { Metrics } from "../stages/step-metrics.ts";

/** Another home for the metrics, derived from `metrics.jsonl`. One that throws is switched off with a warning. */
export interface MetricSink {
  readonly name: string;
  log(metrics: Metrics, step: number): void | Promise<void>;
  close(): void | Promise<void>;
}
