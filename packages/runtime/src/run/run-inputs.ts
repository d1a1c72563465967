import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { LaconicError } from "@laconic/core";
import { changesOf, manifestOfRun, nodeFileSystem, sha256Of } from "@laconic/trainer";
import type { TeamTask } from "@laconic/tasks";
import { isSourceInput } from "../resolver/run-sources.ts";
import { isServerInput } from "./remote/tinker-server.ts";

/** Weights, their description, and what turns text into tokens; neither an optimiser's state nor a run's. */
const modelFile =
  /^(?:(?:model|adapter_model)[\w.-]*\.safetensors|(?:config|adapter_config|generation_config|tokenizer\w*|special_tokens_map|vocab|added_tokens|model\.safetensors\.index)\.json|merges\.txt|chat_template[\w.-]*)$/u;

/** Vocabularies up to this are compared token by token: those of built-in tokenizers, which have no file. */
const smallVocabulary = 1000;

/**
 * SHA-256 of what a run reads, by name: files of each model, its task's tokenizer, its problems.
 * @param folders - by role: `model`, `bases.NAME`, `actor`
 */
export async function runInputs(
  folders: Readonly<Record<string, string>>,
  task: Pick<TeamTask, "pool" | "validation" | "testProblems" | "tokenizer">,
): Promise<Record<string, string>> {
  return {
    ...(await modelInputs(folders)),
    ...tokenizerInput(task.tokenizer),
    ...(task.pool && { "data: training problems": sha256Of(task.pool) }),
    // What evaluations of a run are on; its name is of before there were two kinds.
    "data: validation problems": sha256Of(task.validation ?? task.testProblems),
    ...(task.validation && { [testInput]: sha256Of(task.testProblems) }),
  };
}

/** Begins the role of an opponent's policy: nobody but the training reads it. */
export const opponentRole = "opponent ";

/** Begins the role of a critic's own layers and of a reward model: nobody but the training reads it. */
export const valueRole = "value model ";

const testInput = "data: test problems";

/** What a run reads, without what it could not keep yet when it was started: problems of a test, models of critics and rewards. */
export async function inputsOfRun(
  directory: string,
  inputs: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const kept = await manifestOfRun(nodeFileSystem, directory).catch(() => null);
  const lacks = (begins: string): boolean =>
    kept !== null && !Object.keys(kept.inputs).some((name) => name.startsWith(begins));
  const later = [testInput, valueRole].filter(lacks);
  return Object.fromEntries(
    Object.entries(inputs).filter(([name]) => !later.some((begins) => name.startsWith(begins))),
  );
}

/** SHA-256 of the files of each model, by role and name. */
export async function modelInputs(folders: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const inputs: Record<string, string> = {};
  for (const [role, folder] of Object.entries(folders))
    for (const file of (await readdir(folder)).filter((name) => modelFile.test(name)).toSorted())
      inputs[`${role}: ${file}`] = (await nodeFileSystem.digest(join(folder, file))).sha256;
  return inputs;
}

/** SHA-256 of a tokenizer that has no file; nothing for one that has, which is a model's. */
export function tokenizerInput(tokenizer: TeamTask["tokenizer"]): Record<string, string> {
  const { vocabularySize } = tokenizer;
  if (vocabularySize > smallVocabulary) return {};
  return {
    [vocabularyInput]: sha256Of(Array.from({ length: vocabularySize }, (_, token) => tokenizer.decode([token]))),
  };
}

const vocabularyInput = "tokenizer: vocabulary";

/**
 * Compares a run's models, or its tokenizer without files, with what the run was started with.
 * @param given - of `modelInputs`, or of `tokenizerInput`
 * @param without - roles of models that another stands in for
 * @returns false where the run kept nothing to compare with
 * @throws LaconicError `checkpoint_mismatch` naming the first that differs, or for a manifest that is damaged
 */
export async function checkInputs(
  directory: string,
  kind: "models" | "tokenizer",
  given: Readonly<Record<string, string>>,
  without: readonly string[] = [],
): Promise<boolean> {
  const kept = await manifestOfRun(nodeFileSystem, directory);
  if (kept === null) return false;
  const compared = Object.entries(kept.inputs).filter(
    ([name]) =>
      !name.startsWith("data: ") &&
      without.every((role) => !name.startsWith(`${role}: `)) &&
      !isSourceInput(name) &&
      !isServerInput(name) &&
      !name.startsWith(opponentRole) &&
      !name.startsWith(valueRole) &&
      (name === vocabularyInput) === (kind === "tokenizer"),
  );
  const [change] = changesOf({ files: Object.fromEntries(compared) }, { files: given });
  if (change === undefined) return true;
  const { before, now } = change;
  const key = change.key.slice("files.".length);
  throw new LaconicError(
    "checkpoint_mismatch",
    `${directory}: the input ${key} was ${before} when the run started and is ${now}; bring it back`,
    { key, before, now },
  );
}
