import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { LaconicError } from "@laconic/core";
import { findCheckpoint, nodeFileSystem, runFiles, sha256Of } from "@laconic/trainer";
import type { Progress } from "../../progress.ts";
import type { ChosenDevice } from "../../devices/devices.ts";
import type { ModelFolder } from "../../models/model-folder.ts";
import { modelInputs } from "../run-inputs.ts";
import type { AppConfig, LessonSettings } from "../run-settings.ts";
import { userCache } from "../../folders/user-cache.ts";
import { folderSource, nodeProcesses, readRunFacts } from "@laconic/trainer/reading";
import { giveLessons } from "./give-lessons.ts";
import { lessonsIn, writeLessons, type LessonRecord } from "./lesson-record.ts";
import { lessonsSaid } from "./lesson-settings.ts";
import { taughtFolder } from "./own-model.ts";

/** Other lessons under the same settings: those of older versions are given anew. */
const version = 1;

/** What a run's training begins with. */
export interface StartingModel {
  /** The model, and the lessons with the model as it was before them: settings of the run from then on. */
  readonly settings: Pick<AppConfig, "model" | "lessons">;
  /** Of the lessons that the model has had; null without any. */
  readonly record: LessonRecord | null;
}

/**
 * Gives a run's lessons before its training, once for all runs of the same model, lessons and device; the taught model lies in the run's
 * folder. A model that has had them already is taken as it is.
 * @param found - the model of the configuration
 * @throws LaconicError `config_invalid` for a model that has had other lessons; `run_exists`
 */
export async function startingModel(
  config: Pick<AppConfig, "lessons">,
  found: ModelFolder,
  place: ChosenDevice,
  directory: string,
  progress: Progress,
): Promise<StartingModel> {
  const { lessons } = config;
  const had = await lessonsIn(found.folder);
  if (had !== null) {
    if (lessons !== null) checkSame(had.lessons, lessons, found.pinned);
    return { settings: { model: found.pinned, lessons: lessons && had.lessons }, record: had };
  }
  if (lessons === null) return { settings: { model: found.pinned, lessons }, record: null };
  const before = found.pinned.startsWith("hub:") ? found.pinned : resolve(found.pinned);
  const wanted = { ...lessons, model: before };
  if (lessons.model !== undefined) checkSame(wanted, lessons, found.pinned);
  const taught = join(directory, taughtFolder);
  const kept = existsSync(taught) ? await lessonsIn(taught) : null;
  if (kept !== null && sha256Of(kept.lessons) === sha256Of(wanted))
    return { settings: { model: taught, lessons: wanted }, record: kept };
  await checkNotBegun(directory);
  const cached = await inCache(wanted, found, place, progress);
  const record = { ...((await lessonsIn(cached)) as LessonRecord), lessons: wanted };
  await rm(taught, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  await cp(cached, taught, { recursive: true });
  await writeLessons(taught, record);
  return { settings: { model: taught, lessons: wanted }, record };
}

/** @throws LaconicError `run_exists` for a folder whose training began with another model: that is not to be written over */
async function checkNotBegun(directory: string): Promise<void> {
  const { step } = await readRunFacts(folderSource(directory), { processes: nodeProcesses });
  const saved = await findCheckpoint(nodeFileSystem, join(directory, runFiles.checkpoints), "latest").catch(() => null);
  if (step > 0 || saved !== null)
    throw new LaconicError(
      "run_exists",
      `${directory} holds a run that began with another model, or with other lessons; choose another directory`,
      { directory },
    );
}

/** @throws LaconicError `config_invalid` naming the first setting that differs */
function checkSame(had: LessonRecord["lessons"], wanted: LessonSettings, model: string): void {
  for (const [key, value] of Object.entries(wanted))
    if (had[key as keyof LessonSettings] !== value)
      throw new LaconicError(
        "config_invalid",
        `lessons.${key} is ${value}, but ${model} has had lessons with ${had[key as keyof LessonSettings]}; set lessons=null to train it as it is, or name the model as it was before`,
        { key: `lessons.${key}`, model },
      );
}

/** The taught model, from the user's cache or from lessons that are given now. */
async function inCache(
  lessons: LessonRecord["lessons"],
  { folder }: ModelFolder,
  place: ChosenDevice,
  progress: Progress,
): Promise<string> {
  const into = join(userCache(), "lessons");
  const { model, ...taught } = lessons;
  const files = await modelInputs({ model: folder });
  const key = sha256Of({ version, ...taught, files, device: place.name, workers: place.workers });
  const target = join(into, key.slice(0, 16));
  const said = lessonsSaid(lessons);
  if (existsSync(target)) {
    progress.note(`${said}, as they were given before: ${target}`);
    return target;
  }
  progress.note(`${said}, before the training; they are kept for other runs`);
  await mkdir(into, { recursive: true });
  const made = await mkdtemp(join(into, ".making-"));
  try {
    await giveLessons({ lessons: taught, model, from: folder, to: made, place }, progress);
    // Whoever is first wins; the contents are the same.
    await rename(made, target).catch((error: unknown) => {
      if (!existsSync(target)) throw error;
    });
  } finally {
    await rm(made, { recursive: true, force: true });
  }
  return target;
}
