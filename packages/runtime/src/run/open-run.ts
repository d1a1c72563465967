import { join } from "node:path";
import { readdir } from "node:fs/promises";
import { LaconicError, present } from "@laconic/core";
import {
  changesOf,
  findCheckpoint,
  manifestOfRun,
  nodeFileSystem,
  readSettings,
  runFiles,
  sha256Of,
  type FoundCheckpoint,
} from "@laconic/trainer";
import type { TeamTask } from "@laconic/tasks";
import type { Progress } from "../progress.ts";
import { checkSources, fromFolder, placedSources, sourcePrefix, type SourceChoice } from "../resolver/run-sources.ts";
import { fromOwnModel } from "../models/own-model.ts";
import { parseAppConfig, applyOverrides } from "./app-config.ts";
import {
  actorServers,
  checkCode,
  checkServers,
  engineServers,
  madeFolder,
  trainingServers,
  type MadeFolder,
} from "./check-trust.ts";
import { modelFolders, type ActorChoice } from "./policy-models.ts";
import type { AppConfig } from "./run-settings.ts";
import { chooseDevice } from "../devices/choose-device.ts";
import { openModelFolder } from "../models/model-folder.ts";
import { storedServer, serverPrefix } from "./tinker-server.ts";
import { openParts, type OpenedParts, type RunResources } from "./open-parts.ts";
import type { Spending } from "../spending/spending.ts";

/** Run folder of a command, with its configuration. */
export interface FoundRun extends Pick<FoundCheckpoint, "manifest" | "state"> {
  readonly directory: string;
  readonly made: MadeFolder;
  readonly config: AppConfig;
  readonly checkpoint: string;
  /** Source files changed since the start; `sources` is the version in use. */
  readonly changedSources: readonly string[];
  readonly sources: SourceChoice;
  /** Problems of newer checkpoints. */
  readonly warnings: readonly string[];
}

/** Choice of a run and its checkpoint. */
export interface RunChoice {
  /** Default: the latest. */
  readonly which?: "latest" | "best";
  /** Sources after an edit. Default: the run's copies. */
  readonly sources?: SourceChoice;
}

/**
 * Reads a configuration for display only.
 * @throws LaconicError `run_missing`, `config_invalid`; `checkpoint_mismatch` for a setting edited since, or a changed
 * source without a copy
 */
export async function configOfRun(directory: string): Promise<AppConfig> {
  return (await storedRun(directory)).config;
}

/**
 * Configuration of a resume.
 * @param overrides - overrides; their servers are trusted
 * @throws LaconicError as `trustedRun`; `config_invalid` for a server that only the folder names
 */
export async function resumedConfig(directory: string, overrides: readonly string[]): Promise<AppConfig> {
  const settings = await readSettings(nodeFileSystem, directory);
  await checkSources(directory);
  const made = madeFolder(directory, settings, (await manifestOfRun(nodeFileSystem, directory))?.inputs);
  const retained = fromFolder(directory, settings);
  await checkCode(made, retained);
  const config = parseAppConfig(applyOverrides(fromOwnModel(directory, retained), overrides));
  const named = overrides.join("\n");
  await checkServers(
    made,
    trainingServers(config).filter(({ url }) => !named.includes(url)),
  );
  return config;
}

/**
 * Reads a configuration for opening, with the run's copies of changed sources.
 * @throws LaconicError as {@link configOfRun}; `config_invalid` for untrusted code of another machine
 */
export async function trustedRun(directory: string, sources?: SourceChoice): ReturnType<typeof storedRun> {
  const stored = await storedRun(directory, sources);
  await checkCode(stored.made, stored.config);
  return stored;
}

async function storedRun(
  directory: string,
  sources: SourceChoice = "own",
): Promise<Pick<FoundRun, "made" | "config" | "changedSources" | "sources">> {
  const file = join(directory, runFiles.config);
  const retained = await readSettings(nodeFileSystem, directory);
  const manifest = await manifestOfRun(nodeFileSystem, directory);
  // A longer resume updates the manifest first.
  const [edited] = manifest
    ? changesOf(manifest.config.settings, retained).filter(({ key }) => key !== "train.steps")
    : [];
  if (edited) {
    const { key, before, now } = edited;
    throw new LaconicError(
      "checkpoint_mismatch",
      `${file}: the setting ${key} was ${before} when the run started and is ${now}; restore it`,
      { key, before, now },
    );
  }
  const { locate, changed } = await placedSources(directory, sources);
  const config = parseAppConfig(fromOwnModel(directory, locate(retained)));
  return { made: madeFolder(directory, retained, manifest?.inputs), config, changedSources: changed, sources };
}

/** @throws LaconicError `run_missing`, `checkpoint_missing`, `checkpoint_corrupt`, `config_invalid` */
export async function findRun(directory: string, { which = "latest", sources }: RunChoice = {}): Promise<FoundRun> {
  const stored = await trustedRun(directory, sources);
  const foundCheckpoint = await findCheckpoint(nodeFileSystem, join(directory, runFiles.checkpoints), which).catch(
    (error: unknown) => {
      if (!LaconicError.is(error) || error.code !== "checkpoint_missing") throw error;
      // The run may be active, so no advice to remove it.
      throw new LaconicError(
        "checkpoint_missing",
        `${directory} has no checkpoint yet; a run writes its first after ${stored.config.train.checkpoint.every} steps, or when it is interrupted`,
        { directory },
        error,
      );
    },
  );
  const { folder: checkpoint, ...rest } = foundCheckpoint;
  return { directory, ...stored, checkpoint, ...rest };
}

/** Max attempts, if an active run removes checkpoints. */
const maxOpenings = 5;

/**
 * Opens a checkpoint; if an active run removes it meanwhile, the newest.
 * @param open - called again after such an error
 * @throws LaconicError as {@link findRun} and `open`; `checkpoint_missing` if every checkpoint was removed
 */
export async function openRun<T>(
  directory: string,
  choice: RunChoice,
  open: (foundRun: FoundRun) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const foundRun = await findRun(directory, choice);
    try {
      return await open(foundRun);
    } catch (error) {
      if (await nodeFileSystem.exists(foundRun.checkpoint)) throw error;
      if (attempt === maxOpenings) throw removed(foundRun, error);
    }
  }
}

function removed({ directory, checkpoint }: FoundRun, error: unknown): LaconicError {
  return new LaconicError(
    "checkpoint_missing",
    `${checkpoint} was removed by the running training; try again, or raise train.checkpoint.keep`,
    { directory },
    error,
  );
}

export async function runResources(
  model: string,
  progress: Progress,
  options: { readonly weights?: boolean } = {},
): Promise<RunResources & { modelFolder: string }> {
  const { folder } = await openModelFolder(model, progress, options);
  return {
    onWarning: progress.warn,
    note: progress.note,
    modelFolder: folder,
    openModel: async (name) => (await openModelFolder(name, progress)).folder,
  };
}

export function noteSources({ directory, changedSources, sources }: FoundRun, progress: Progress): void {
  const read = sources === "current" ? "the current file is read" : "the run's copy of its sources is read";
  for (const file of changedSources)
    progress.note(`${file} has changed since the run in ${directory} started: ${read}`);
}

/** Refuses models that changed since the start. Warns without a manifest. @throws LaconicError `checkpoint_mismatch` */
export async function checkModelsOf(
  directory: string,
  config: AppConfig,
  progress: Progress,
  { actor = true }: { readonly actor?: boolean } = {},
): Promise<void> {
  const folders = await modelFolders(actor ? config : { ...config, actor: null }, progress);
  if (!(await checkInputs(directory, "models", await modelInputs(folders), actor ? [] : ["actor"])))
    progress.warn(
      `${join(directory, runFiles.manifest)} not found: weights and tokenizer cannot be compared with those of the start`,
    );
}

/**
 * Opens a team with its checkpoint, or with the initial weights.
 * @throws LaconicError `checkpoint_mismatch` for a changed model file or tokenizer
 */
export async function openFoundRun(
  foundRun: FoundRun,
  progress: Progress,
  {
    trained = true,
    testProblems,
    actor,
    spending = null,
  }: {
    readonly trained?: boolean;
    readonly testProblems?: number;
    readonly actor?: ActorChoice["speaks"];
    readonly spending?: Spending | null;
  } = {},
): Promise<OpenedParts> {
  const { directory, made, config } = foundRun;
  await checkServers(made, [...(actor === undefined ? actorServers(config.actor) : []), ...engineServers(config)]);
  noteSources(foundRun, progress);
  await checkModelsOf(directory, config, progress, { actor: actor === undefined });
  const resources = await runResources(config.model, progress, { weights: config.engine === null });
  const location = config.engine
    ? await storedServer(config.engine.tinker, directory, progress)
    : await chooseDevice(config.device, config.workers, progress.note, config);
  const opened = await openParts(config, location, {
    ...resources,
    ...(trained && { savedRun: foundRun }),
    ...present({ testProblems, actor }),
    spending,
  }).catch(async (error: unknown) => {
    if (!trained || (await nodeFileSystem.exists(foundRun.checkpoint))) throw error;
    throw removed(foundRun, error);
  });
  try {
    await checkInputs(directory, "tokenizer", tokenizerInput(opened.task.tokenizer));
  } catch (error) {
    await opened.close();
    throw error;
  }
  return opened;
}

/** Weights, configuration and tokenizer, without optimizer or run state. */
const modelFile =
  /^(?:(?:model|adapter_model)[\w.-]*\.safetensors|(?:config|adapter_config|generation_config|tokenizer\w*|special_tokens_map|vocab|added_tokens|model\.safetensors\.index)\.json|merges\.txt|chat_template[\w.-]*)$/u;

/** Max size to hash; built-in tokenizers have no file. */
const smallVocabulary = 1000;

/** SHA-256 of model files, tokenizer and problems, by name. @param folders - by role: `model`, `bases.NAME`, `actor` */
export async function runInputs(
  folders: Readonly<Record<string, string>>,
  task: Pick<TeamTask, "pool" | "validation" | "testProblems" | "tokenizer">,
): Promise<Record<string, string>> {
  return {
    ...(await modelInputs(folders)),
    ...tokenizerInput(task.tokenizer),
    ...(task.pool && { "data: training problems": sha256Of(task.pool) }),
    // Evaluation problems; the name is older than the test split.
    "data: validation problems": sha256Of(task.validation ?? task.testProblems),
    ...(task.validation && { [testInput]: sha256Of(task.testProblems) }),
  };
}

export const opponentRole = "opponent ";

export const valueRole = "value model ";

/** Prefixes of inputs that only training reads, or that are checked elsewhere. */
const trainingInputs = ["data: ", sourcePrefix, serverPrefix, opponentRole, valueRole];

const testInput = "data: test problems";

export async function modelInputs(folders: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const inputs: Record<string, string> = {};
  for (const [role, folder] of Object.entries(folders))
    for (const file of (await readdir(folder)).filter((name) => modelFile.test(name)).toSorted())
      inputs[`${role}: ${file}`] = (await nodeFileSystem.digest(join(folder, file))).sha256;
  return inputs;
}

/** SHA-256 of a tokenizer without files; empty for others. */
export function tokenizerInput(tokenizer: TeamTask["tokenizer"]): Record<string, string> {
  const { vocabularySize } = tokenizer;
  if (vocabularySize > smallVocabulary) return {};
  return {
    [vocabularyInput]: sha256Of(Array.from({ length: vocabularySize }, (_, token) => tokenizer.decode([token]))),
  };
}

const vocabularyInput = "tokenizer: vocabulary";

/**
 * Compares models, or a tokenizer without files, with the run's start.
 * @param input - from `modelInputs` or `tokenizerInput`
 * @param without - roles of replaced models
 * @returns false without a manifest
 * @throws LaconicError `checkpoint_mismatch` with the first difference, or for a damaged manifest
 */
export async function checkInputs(
  directory: string,
  kind: "models" | "tokenizer",
  input: Readonly<Record<string, string>>,
  without: readonly string[] = [],
): Promise<boolean> {
  const retained = await manifestOfRun(nodeFileSystem, directory);
  if (retained === null) return false;
  const compared = Object.entries(retained.inputs).filter(
    ([name]) =>
      [...trainingInputs, ...without.map((role) => `${role}: `)].every((prefix) => !name.startsWith(prefix)) &&
      (name === vocabularyInput) === (kind === "tokenizer"),
  );
  const [change] = changesOf({ files: Object.fromEntries(compared) }, { files: input });
  if (change === undefined) return true;
  const { before, now } = change;
  const key = change.key.slice("files.".length);
  throw new LaconicError(
    "checkpoint_mismatch",
    `${directory}: the input ${key} was ${before} when the run started and is ${now}; restore it`,
    { key, before, now },
  );
}
