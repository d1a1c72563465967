import { disposing } from "@laconic/core";
import type { TrainResult } from "@laconic/trainer";
import type { BeforeWarmStart } from "../run/warm-start/before-warm-start.ts";
import type { AppConfig } from "../run/run-settings.ts";
import { openFolder } from "./open-folder.ts";
import { openModels, openSamplers } from "./open-models.ts";
import { checkConfig, chooseDeviceOrServer, findModel, warmStart } from "./prepare.ts";
import type { StartOptions } from "./run-context.ts";
import { finish, trainModels } from "./train-models.ts";

/** What became of a run. */
export interface StartedRun extends TrainResult {
  /** Of a model that had a supervised warm start: the team before it. `before` is then the team after it, which the training began with. */
  readonly warmStart: BeforeWarmStart | null;
  /** What interrupted the run, if anything did. */
  readonly signal: NodeJS.Signals | null;
  /** Of this process: steps, evaluations and files. */
  readonly seconds: number;
  /** Of the run's steps, in all its processes: what the report shows. */
  readonly trainingSeconds: number | null;
  /** Of these, those of training steps before it was resumed; 0 for a run that began now. */
  readonly earlierSeconds: number;
  readonly device: string;
}

/**
 * Trains into a run directory, stage by stage; each adds what it opened to what the next one knows. What can be refused is refused
 * before the directory is made. The first interrupt finishes the step and saves.
 * @throws LaconicError what checking, opening and training throw
 */
export async function startRun(given: AppConfig, options: StartOptions): Promise<StartedRun> {
  const trained = await disposing(async (closing) => {
    const checked = await checkConfig({ ...options, given, closing });
    const found = await findModel(checked);
    const placed = await chooseDeviceOrServer(found);
    const warmed = await warmStart(placed);
    const opened = await openModels(warmed);
    const sampled = await openSamplers(opened);
    const held = await openFolder(sampled);
    return trainModels(held);
  });
  return finish(trained);
}

/** 0 done, 130 or 143 after a signal. */
export function exitCodeOf({ interrupted, signal }: Pick<StartedRun, "interrupted" | "signal">): number {
  if (!interrupted) return 0;
  return signal === "SIGTERM" ? 143 : 130;
}
