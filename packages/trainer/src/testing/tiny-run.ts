import type { UnknownRecord } from "@laconic/core";
import { runSpec, type RunSpecOptions } from "../spec/run-spec.ts";
import { parseTrainConfig } from "../settings/parse-train-config.ts";
import { openRun } from "../run/run-directory.ts";
import type { RunOptions } from "../run/recorder.ts";
import { train, type TrainResult } from "../train.ts";
import { tinyParts, tinySettings } from "./tiny-task.ts";

/** Run of the tiny task, with changes to `tinySettings`. */
export interface TinyRunOptions extends Partial<Omit<RunOptions, "config">> {
  readonly directory: string;
  /** Merged over `tinySettings`. */
  readonly settings?: UnknownRecord;
  /** Default: a new solo team. */
  readonly parts?: RunSpecOptions;
  readonly signal?: AbortSignal;
}

/** Trains the tiny task in a run directory, or resumes it. */
export async function tinyRun(options: TinyRunOptions): Promise<TrainResult> {
  const { settings = {}, signal, ...rest } = options;
  const parts: RunSpecOptions = options.parts ?? tinyParts();
  const config = parseTrainConfig({ ...tinySettings, ...settings });
  const run = await openRun({
    environment: {},
    keepCheckpoints: config.checkpoint.keep,
    now: () => 0,
    ...rest,
    config: { ...config },
  });
  try {
    return await train(runSpec({ ...parts, settings: { ...config, ...parts.settings } }), {
      recorder: run,
      ...(signal && { signal }),
    });
  } finally {
    await run.close();
  }
}
