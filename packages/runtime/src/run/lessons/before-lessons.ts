import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { boundedJson, type PolicySnapshot } from "@laconic/core";
import { evaluate, livePolicies, runFiles, sha256Of, type Evaluation } from "@laconic/trainer";
import { during, type Progress } from "../../progress.ts";
import type { ChosenDevice } from "../../devices/devices.ts";
import { openParts } from "../open-parts.ts";
import { runResources } from "../open-run.ts";
import type { AppConfig } from "../run-settings.ts";
import type { LessonRecord } from "./lesson-record.ts";
import { lessonsSaid } from "./lesson-settings.ts";

/** The team of the model as it was before the lessons of a run: `lessons.json` in the run's folder. */
export interface BeforeLessons {
  /** Of the settings that the evaluation depends on. */
  readonly key: string;
  readonly lessons: LessonRecord["lessons"];
  /** In a few words. */
  readonly said: string;
  /** On the problems, and with the random streams, of the run's own evaluations; language under the model itself. */
  readonly before: Evaluation;
}

/**
 * Measures the team of the model as it was before its lessons; a run that goes on has it already. Null, with a warning, where that model
 * is not to be had any more.
 */
export async function beforeLessons(
  config: AppConfig,
  { lessons }: LessonRecord,
  place: ChosenDevice,
  directory: string,
  progress: Progress,
): Promise<BeforeLessons | null> {
  const { train } = config;
  const { seed, sampling, limits, onAgentError: onError, scoring, evaluation } = train;
  const { problems, language } = evaluation;
  const key = sha256Of({ lessons, task: config.task, seed, sampling, limits, problems, language });
  const kept = await keptIn(directory);
  if (kept?.key === key) return kept;
  const resources = await runResources(lessons.model, progress).catch((error: unknown) => {
    progress.warn(`the model before its ${lessonsSaid(lessons)} is not measured: ${(error as Error).message}`);
    return null;
  });
  if (resources === null) return null;
  const asItWas = { ...config, model: lessons.model, lessons: null };
  const { parts, close } = await openParts(asItWas, place, resources);
  const references: Record<string, PolicySnapshot> = {};
  try {
    if (language)
      for (const [name, { model }] of Object.entries(parts.policies)) references[name] = await model.snapshot();
    const options = { seed, step: 0, problems, sampling, limits, onError, scoring, references };
    const { evaluation: before } = await during(
      progress,
      `measuring ${Math.min(problems, parts.task.heldOut.length)} held-out problems with the model before its lessons`,
      () => evaluate(parts, livePolicies(parts), options),
    );
    return { key, lessons, said: lessonsSaid(lessons), before };
  } finally {
    for (const snapshot of Object.values(references)) await snapshot.dispose();
    await close();
  }
}

/** Once the run directory is held. */
export async function keepBeforeLessons(directory: string, measured: BeforeLessons): Promise<void> {
  await writeFile(join(directory, runFiles.lessons), `${JSON.stringify(measured, null, 2)}\n`);
}

function keptIn(directory: string): Promise<BeforeLessons | null> {
  return readFile(join(directory, runFiles.lessons), "utf8").then(
    (text) => boundedJson(text) as BeforeLessons,
    () => null,
  );
}
