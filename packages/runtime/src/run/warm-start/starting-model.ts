import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { LaconicError } from "@laconic/core";
import { findCheckpoint, nodeFileSystem, runFiles, sha256Of } from "@laconic/trainer";
import type { Progress } from "../../progress.ts";
import type { ChosenDevice } from "../../devices/devices.ts";
import type { ModelFolder } from "../../models/model-folder.ts";
import { modelInputs } from "../run-inputs.ts";
import type { AppConfig, WarmStartSettings } from "../run-settings.ts";
import { userCache } from "../../folders/user-cache.ts";
import { folderSource, nodeProcesses, readRunFacts } from "@laconic/trainer/reading";
import { trainWarmStart } from "./train-warm-start.ts";
import { warmStartIn, writeWarmStart, type WarmStartRecord } from "./warm-start-record.ts";
import { warmStartText } from "./warm-start-settings.ts";
import { taughtFolder } from "./own-model.ts";

/** Other examples under the same settings: models of older versions are trained anew. */
const version = 2;

/** What a run's training begins with. */
export interface StartingModel {
  /** The model, and the warm start with the model as it was before: settings of the run from then on. */
  readonly settings: Pick<AppConfig, "model" | "warmStart">;
  /** Of the warm start that the model has had; null without any. */
  readonly record: WarmStartRecord | null;
}

/**
 * Warm-starts a run's model, once for all runs of the same model, settings and device; the model then lies in the run's
 * folder. A model that has had them already is taken as it is.
 * @param found - the model of the configuration
 * @throws LaconicError `config_invalid` for a model that has had another warm start; `run_exists`
 */
export async function startingModel(
  config: Pick<AppConfig, "warmStart" | "train">,
  found: ModelFolder,
  place: ChosenDevice,
  directory: string,
  progress: Progress,
): Promise<StartingModel> {
  const { warmStart } = config;
  const had = await warmStartIn(found.folder);
  if (had !== null) {
    // Examples of the run's seed are what nobody asked for by name.
    const isOwnSeed = warmStart?.seed === String(config.train.seed);
    const wanted = warmStart && { ...warmStart, ...(isOwnSeed && { seed: had.warmStart.seed }) };
    if (wanted !== null) checkSame(had.warmStart, wanted, found.pinned);
    return { settings: { model: found.pinned, warmStart: warmStart && had.warmStart }, record: had };
  }
  if (warmStart === null) return { settings: { model: found.pinned, warmStart }, record: null };
  const before = found.pinned.startsWith("hub:") ? found.pinned : resolve(found.pinned);
  const wanted = { ...warmStart, model: before };
  if (warmStart.model !== undefined) checkSame(wanted, warmStart, found.pinned);
  const taught = join(directory, taughtFolder);
  const kept = existsSync(taught) ? await warmStartIn(taught) : null;
  if (kept !== null && sha256Of(kept.warmStart) === sha256Of(wanted))
    return { settings: { model: taught, warmStart: wanted }, record: kept };
  await checkNotBegun(directory);
  const cached = await inCache(wanted, found, place, progress);
  const record = { ...((await warmStartIn(cached)) as WarmStartRecord), warmStart: wanted };
  await rm(taught, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  await cp(cached, taught, { recursive: true });
  await writeWarmStart(taught, record);
  return { settings: { model: taught, warmStart: wanted }, record };
}

/** @throws LaconicError `run_exists` for a folder whose training began with another model: that is not to be written over */
async function checkNotBegun(directory: string): Promise<void> {
  const { step } = await readRunFacts(folderSource(directory), { processes: nodeProcesses });
  const saved = await findCheckpoint(nodeFileSystem, join(directory, runFiles.checkpoints), "latest").catch(() => null);
  if (step > 0 || saved !== null)
    throw new LaconicError(
      "run_exists",
      `${directory} holds a run that began with another model, or with another warm start; choose another directory`,
      { directory },
    );
}

/** @throws LaconicError `config_invalid` naming the first setting that differs */
function checkSame(had: WarmStartRecord["warmStart"], wanted: WarmStartSettings, model: string): void {
  for (const [key, value] of Object.entries(wanted))
    if (had[key as keyof WarmStartSettings] !== value)
      throw new LaconicError(
        "config_invalid",
        `warmStart.${key} is ${value}, but ${model} has had a warm start with ${had[key as keyof WarmStartSettings]}; set warmStart=null to train it as it is, or name the model as it was before`,
        { key: `warmStart.${key}`, model },
      );
}

/** The warm-started model, from the user's cache or from a training now. */
async function inCache(
  warmStart: WarmStartRecord["warmStart"],
  { folder }: ModelFolder,
  place: ChosenDevice,
  progress: Progress,
): Promise<string> {
  const into = join(userCache(), "warm-start");
  const { model, ...taught } = warmStart;
  const files = await modelInputs({ model: folder });
  const key = sha256Of({ version, ...taught, files, device: place.name, workers: place.workers });
  const target = join(into, key.slice(0, 16));
  const said = warmStartText(warmStart);
  if (existsSync(target)) {
    progress.note(`${said}, as they were given before: ${target}`);
    return target;
  }
  progress.note(`${said}, before the training; they are kept for other runs`);
  await mkdir(into, { recursive: true });
  const made = await mkdtemp(join(into, ".making-"));
  try {
    await trainWarmStart({ warmStart: taught, model, from: folder, to: made, place }, progress);
    // Whoever is first wins; the contents are the same.
    await rename(made, target).catch((error: unknown) => {
      if (!existsSync(target)) throw error;
    });
  } finally {
    await rm(made, { recursive: true, force: true });
  }
  return target;
}
