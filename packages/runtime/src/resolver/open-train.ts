import { isRecord, type LanguageModel, type SupervisedExamples } from "@laconic/core";
import type { TrainConfig } from "@laconic/trainer";
import { isReference, type Reference } from "./reference.ts";
import { kindAt } from "./referenced.ts";
import { resolveReference } from "./resolve.ts";

/**
 * Training settings with the values that they refer to. Examples stay references: `openMixedExamples` opens them.
 * @throws LaconicError `config_invalid` naming file and export of what is no value of its kind
 */
export async function openTrain(train: TrainConfig): Promise<TrainConfig> {
  return (await openIn(train, ["train"])) as TrainConfig;
}

async function openIn(value: unknown, path: readonly string[]): Promise<unknown> {
  if (isReference(value)) {
    const kind = kindAt(path);
    return kind === null || kind === "examples" ? value : resolveReference(value, kind);
  }
  if (!isRecord(value)) return value;
  const opened = Object.entries(value).map(async ([key, each]) => [key, await openIn(each, [...path, key])] as const);
  return Object.fromEntries(await Promise.all(opened));
}

/** Supervised examples that are mixed in; null where there are none. Evaluations do without. */
export async function openMixedExamples({ supervised }: TrainConfig): Promise<SupervisedExamples | null> {
  const examples = supervised?.examples;
  return isReference(examples) ? openExamples(examples) : null;
}

/** @throws LaconicError `config_invalid` naming what is no list or function of examples, `data_invalid` naming file and row */
export async function openExamples(reference: Reference): Promise<SupervisedExamples> {
  return (await resolveReference(reference, "examples")) as SupervisedExamples;
}

/** A model that speaks for those who do not learn. */
export async function openActor(reference: Reference): Promise<LanguageModel> {
  return (await resolveReference(reference, "actor")) as LanguageModel;
}
