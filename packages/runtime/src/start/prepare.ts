import { chooseDevice } from "../devices/choose-device.ts";
import { openModelFolder } from "../models/model-folder.ts";
import { during } from "../progress.ts";
import { checkSources } from "../resolver/run-sources.ts";
import { checkRun } from "../run/check-run.ts";
import { measureBeforeWarmStart } from "../run/warm-start/before-warm-start.ts";
import { startingModel } from "../run/warm-start/starting-model.ts";
import { checkAgainstServer } from "../run/remote/check-remote.ts";
import { probedServer, recordLines, tokenLimits } from "../run/remote/tinker-server.ts";
import { pinnedRunTask } from "../run/run-task.ts";
import type { Asked, Checked, Found, Placed, Warmed } from "./run-context.ts";

/** Refuses what would be refused once it runs. */
export async function checkConfig(asked: Asked): Promise<Checked> {
  const { given, directory, resume, progress, openSource } = asked;
  // A run that goes on is refused by the name of the file; where one may be started over, openRun says what differs.
  if (resume === true) await checkSources(directory);
  const { models } = await checkRun(given, progress, { served: openSource !== undefined });
  return { ...asked, models };
}

/** Weights stay on the hub where a server has them. */
export async function findModel(checked: Checked): Promise<Found> {
  const { given, progress } = checked;
  const found = await openModelFolder(given.model, progress, { weights: given.engine === null });
  return { ...checked, found };
}

/** Where the models will be, as the run's settings say it from then on. */
export async function chooseDeviceOrServer(found: Found): Promise<Placed> {
  return during(found.progress, "trying devices", async () => {
    const { given, models, progress } = found;
    const { engine, device, workers, deterministic } = given;
    if (engine) {
      const { vocabularySize } = await tokenLimits(found.found.folder);
      const place = await probedServer(engine.tinker, vocabularySize, progress);
      progress.note(recordLines(place.record).join("\n"));
      checkAgainstServer(given, place.record, models);
      return { ...found, place, where: { engine: { tinker: place.settings }, device, workers } };
    }
    // The run says what `auto` came to: a resume elsewhere is then refused instead of rounding differently.
    const place = await chooseDevice(device, workers, (text) => progress.note(text), { deterministic });
    return { ...found, place, where: { engine, device: place.name, workers: place.workers } };
  });
}

/** Warm-starts the model where the configuration says so, and measures the team before it. */
export async function warmStart(placed: Placed): Promise<Warmed> {
  const { given, found, place, where, directory, progress } = placed;
  if ("kind" in place) {
    const config = {
      ...given,
      task: await pinnedRunTask(given.task),
      model: found.pinned,
      warmStart: null,
      ...where,
    };
    return { ...placed, config, warmStart: null };
  }
  const { settings, record } = await startingModel(given, found, place, directory, progress);
  const config = { ...given, task: await pinnedRunTask(given.task), ...settings, ...where };
  const measured = record && (await measureBeforeWarmStart(config, record, place, directory, progress));
  return { ...placed, config, warmStart: measured };
}
