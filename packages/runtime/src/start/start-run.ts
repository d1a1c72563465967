import { disposing } from "@laconic/core/async";
import type { AppConfig } from "../run/run-settings.ts";
import { openFolder } from "./open-folder.ts";
import { openModels, openSamplers } from "./open-models.ts";
import { checkConfig, chooseDeviceOrServer, findModel, warmStart } from "./prepare.ts";
import type { StartedRun, StartOptions } from "./run-context.ts";
import { finish, trainModels } from "./train-models.ts";

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
