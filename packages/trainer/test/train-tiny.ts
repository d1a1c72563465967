import { silentRecorder, type Recorder } from "../src/run/recorder.ts";
import type { StepRecord } from "../src/run/step-record.ts";
import { parseTrainConfig } from "../src/settings/parse-train-config.ts";
import { runSpec, type RunSpecOptions } from "../src/spec/run-spec.ts";
import type { Metrics } from "../src/step-metrics.ts";
import { tinyParts, tinySettings } from "../src/testing/tiny-task.ts";
import { train, type TrainResult } from "../src/train.ts";

export interface Trained extends TrainResult {
  readonly rows: readonly Metrics[];
  readonly records: readonly StepRecord[];
  readonly warnings: readonly string[];
}

/** Trains without a run folder. @param settings - merged over `tinySettings` */
export async function trainTiny(
  parts: RunSpecOptions = tinyParts(),
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Trained> {
  const [rows, records, warnings]: [Metrics[], StepRecord[], string[]] = [[], [], []];
  const recorder: Recorder = {
    ...silentRecorder((row) => rows.push(row)),
    record: async (record) => void records.push(record),
    warn: async (message) => void warnings.push(message),
  };
  const config = parseTrainConfig({ ...tinySettings, ...settings });
  const result = await train(runSpec({ ...parts, settings: { ...config, ...parts.settings } }), { recorder });
  return { ...result, rows, records, warnings };
}
