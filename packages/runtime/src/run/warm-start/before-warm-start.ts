import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PolicySnapshot } from "@laconic/core";
import { boundedJson } from "@laconic/core/json";
import { problemsOfSplit, runFiles, type Evaluation } from "@laconic/trainer";
import { beforeWarmStartKey, measureBefore, warmStartText } from "@laconic/tasks/warm-start";
import { during, type Progress } from "../../progress.ts";
import type { ChosenDevice } from "../../devices/choose-device.ts";
import { openParts } from "../open-parts.ts";
import { runResources } from "../open-run.ts";
import type { AppConfig } from "../run-settings.ts";
import { openModelFolder } from "../../models/model-folder.ts";
import { warmStartIn, type WarmStartRecord } from "./warm-start-record.ts";

/** The team of the model as it was before the supervised warm start of a run: `warm-start.json` in the run's folder. */
export interface BeforeWarmStart {
  /** Of the settings that the evaluation depends on. */
  readonly key: string;
  readonly warmStart: WarmStartRecord["warmStart"];
  /** In a few words. */
  readonly said: string;
  /** On the problems, and with the random streams, of the run's own evaluations; language under the model itself. */
  readonly before: Evaluation;
}

/** The name of the model as it was before the run's supervised warm start; null for a run without one. */
export async function fetchedModel({ model }: Pick<AppConfig, "model">, progress: Progress): Promise<string | null> {
  const { folder } = await openModelFolder(model, progress);
  return (await warmStartIn(folder))?.warmStart.model ?? null;
}

/**
 * Measures the team of the model as it was before its supervised warm start; a run that goes on has it already. Null, with a warning, where that model
 * is not to be had any more.
 */
export async function measureBeforeWarmStart(
  config: AppConfig,
  { warmStart, examples }: WarmStartRecord,
  place: ChosenDevice,
  directory: string,
  progress: Progress,
): Promise<BeforeWarmStart | null> {
  const { train } = config;
  const key = beforeWarmStartKey({ warmStart, ...(examples !== undefined && { examples }) }, config);
  const kept = await keptIn(directory);
  if (kept?.key === key) return kept;
  const resources = await runResources(warmStart.model, progress).catch((error: unknown) => {
    progress.warn(`the model before its ${warmStartText(warmStart)} is not measured: ${(error as Error).message}`);
    return null;
  });
  if (resources === null) return null;
  const asItWas = { ...config, model: warmStart.model, warmStart: null };
  const { parts, close } = await openParts(asItWas, place, resources);
  const references: Record<string, PolicySnapshot> = {};
  try {
    if (train.evaluation.language)
      for (const [name, { model }] of Object.entries(parts.policies)) references[name] = await model.snapshot();
    const before = await during(
      progress,
      `measuring ${Math.min(train.evaluation.problems, problemsOfSplit(parts.task, "validation").length)} validation problems with the model before its warm start`,
      () => measureBefore(parts, config, references),
    );
    return { key, warmStart, said: warmStartText(warmStart), before };
  } finally {
    for (const snapshot of Object.values(references)) await snapshot.dispose();
    await close();
  }
}

/** Once the run directory is held. */
export async function keepBeforeWarmStart(directory: string, measured: BeforeWarmStart): Promise<void> {
  if ((await keptIn(directory))?.key === measured.key) return;
  await writeFile(join(directory, runFiles.warmStart), `${JSON.stringify(measured, null, 2)}\n`);
}

async function keptIn(directory: string): Promise<BeforeWarmStart | null> {
  const text = await readFile(join(directory, runFiles.warmStart), "utf8").catch(() => null);
  return text === null ? null : (boundedJson(text) as BeforeWarmStart);
}
