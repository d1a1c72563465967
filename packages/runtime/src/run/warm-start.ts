import { readFile, writeFile, cp, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { existsSync } from "node:fs";
import {
  configError,
  dataError,
  LaconicError,
  present,
  randomFromSeed,
  type PolicySnapshot,
  type TrainableModel,
} from "@laconic/core";
import { parseJson } from "@laconic/core/json";
import { issueWords } from "@laconic/core/schemas";
import { z } from "zod";
import { makeFolders, makeFolderOnce } from "@laconic/core/platform";
import {
  onlyPolicy,
  evaluate,
  livePolicies,
  policyFile,
  learningRateAt,
  supervised,
  findCheckpoint,
  nodeFileSystem,
  runFiles,
  sha256Of,
  problemsOfSplit,
  type Evaluation,
} from "@laconic/trainer";
import {
  giveWarmStart,
  ownersCourse,
  warmStartText,
  beforeWarmStartKey,
  measureBefore,
} from "@laconic/tasks/warm-start";
import { warmStartBatch, warmStartCurriculum, type RelayLevel, type WarmStartPhase } from "@laconic/tasks";
import { warmStartSettings, type WarmStartSettings, type AppConfig } from "./run-settings.ts";
import { during, type Progress } from "../progress.ts";
import { parseAppConfig } from "./app-config.ts";
import { ownExamples } from "./supervised-examples.ts";
import { chooseDevice, type ChosenDevice } from "../devices/choose-device.ts";
import { openParts } from "./open-parts.ts";
import { runResources, modelInputs } from "./open-run.ts";
import { freshRelayModel, foundAgain, openModelFolder, type ModelFolder } from "../models/model-folder.ts";
import { folderSource, nodeProcesses, readRunFacts } from "@laconic/trainer/reading";
import { userCache } from "../folders/folders.ts";
import { taughtFolder } from "../models/own-model.ts";
import { jsonIn } from "../models/policy-tokenizer.ts";
import { mapReferences } from "../resolver/reference.ts";
import { sourcesOf } from "../resolver/run-sources.ts";
import { openExamples } from "../resolver/open-train.ts";
import { openRunTask } from "./run-task.ts";

interface WarmStartRecord {
  readonly version: 2;
  /** Includes the model before the warm start. */
  readonly warmStart: WarmStartSettings & { readonly model: string };
  /** Loss of the last step, in nats per token. */
  readonly loss: number;
  /** SHA-256 of custom examples. */
  readonly examples?: string;
}

function recorded<T extends WarmStartSettings>(warmStart: T): T {
  if (warmStart.name !== "examples") return warmStart;
  return { ...warmStart, examples: { ...warmStart.examples, file: basename(warmStart.examples.file) } };
}

const recordFile = "warm-start.json";

const settingsSchema = warmStartSettings.refine(
  (settings): settings is WarmStartRecord["warmStart"] => settings.model !== undefined && settings.seed !== undefined,
  "has no model or no seed",
) as z.ZodType<WarmStartRecord["warmStart"]>;

const recordSchema: z.ZodType<WarmStartRecord> = z.strictObject({
  version: z.literal(2),
  warmStart: settingsSchema,
  loss: z.number(),
  examples: z.string().exactOptional(),
});

/** Warm start of a model folder; null without one. @throws LaconicError `data_invalid` for an invalid record */
async function warmStartIn(folder: string): Promise<WarmStartRecord | null> {
  const path = join(folder, recordFile);
  const text = await readFile(path, "utf8").catch(() => null);
  if (text === null) return null;
  const parsed = recordSchema.safeParse(parseJson(text, path), { error: issueWords });
  if (parsed.success) return parsed.data;
  throw dataError(`${path} is not a warm-start record; remove it, or train the model again`, { path });
}

async function writeWarmStart(folder: string, record: WarmStartRecord): Promise<void> {
  await writeFile(join(folder, recordFile), `${JSON.stringify(record, null, 2)}\n`);
}

const copied = ["tokenizer.json", "tokenizer_config.json", "generation_config.json", "chat_template.jinja"];

type WarmStartedRun = Pick<AppConfig, "task" | "train" | "policies" | "memory" | "chatTemplateArguments">;

interface Teaching {
  readonly warmStart: WarmStartSettings;
  readonly run: WarmStartedRun;
  readonly model: string;
  readonly from: string;
  readonly to: string;
  readonly device: ChosenDevice;
}

async function trainWarmStart(
  { warmStart, run, model: input, from, to, device }: Teaching,
  progress: Progress,
): Promise<void> {
  const { steps } = warmStart;
  const course = warmStart.name === "examples" ? ownExamples(warmStart, run) : ownersCourse(warmStart);
  const settings = course.task ? parseAppConfig({ task: course.task, model: input }) : { ...run, model: input };
  const resources = { ...(await runResources(input, progress)), testProblems: 0 };
  // All agents share one model.
  const { parts, task, close } = await openParts({ ...settings, policies: "shared" }, device, resources);
  try {
    const { model, speak } = parts.policies[onlyPolicy]!;
    const pupil = { model, speaks: speak(model), tokenizer: task.tokenizer, task };
    const loss = await giveWarmStart(course, warmStart, pupil, {
      onStep: (step, now) => progress.warmStartStep({ step, steps, loss: now }),
    });
    await saveWeights(model, to);
    for (const name of copied) if (existsSync(join(from, name))) await cp(join(from, name), join(to, name));
    await writeWarmStart(to, { version: 2, warmStart: recorded({ ...warmStart, model: input }), loss });
  } finally {
    await close();
  }
}

/** Omits the optimizer: reinforcement learning starts with a new one. */
async function saveWeights(model: TrainableModel, to: string): Promise<void> {
  await makeFolders(to);
  await model.save(to);
  await rm(join(to, "optimizer.safetensors"), { force: true });
}

/** Imitation of the wordy teacher by a relay model. */
export interface RelayWarmStart {
  readonly level: RelayLevel;
  readonly seed: string;
  readonly steps: number;
  readonly batch: number;
  readonly device: string;
  readonly to: string;
  readonly onStep: (step: number, loss: number) => void;
}

/** Trains a new relay model, the start of every relay run. @returns the team on validation problems */
export async function trainRelayWarmStart(
  { level, seed, steps, batch, device: name, to, onStep }: RelayWarmStart,
  progress: Progress,
): Promise<Evaluation> {
  const device = await chooseDevice(name, "auto", progress.note);
  const settings = parseAppConfig({ task: { name: "relay", level: level.name } });
  const resources = await runResources(settings.model, progress);
  const { engine, parts } = await openParts(settings, device, { ...resources, fresh: freshRelayModel(seed) });
  const { model } = parts.policies[onlyPolicy]!;
  try {
    await supervised(model, {
      steps,
      batch: (step, random) => warmStartBatch(phaseAt(level, step / steps), batch, random),
      random: randomFromSeed(seed).split("warm-start"),
      optimizerAt: (step) => ({
        ...adam,
        learningRate: learningRateAt({ peak: 3e-3, warmUpSteps: 50, decay: "cosine", finalFraction: 0 }, step, steps),
      }),
      onStep: (step, { loss }) => onStep(step, loss),
    });
    const { evaluation } = await evaluate(parts, livePolicies(parts), {
      seed: "warm-start",
      step: 0,
      problems: 500,
      sampling: { temperature: 1 },
    });
    await saveWeights(model, to);
    await writeFile(join(to, policyFile), `${JSON.stringify({ task: `relay/${level.name}` }, null, 2)}\n`);
    return evaluation;
  } finally {
    await engine.close();
  }
}

const adam = { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, maxGradNorm: 1, weightDecay: 0.01 };

/** Phase at a fraction of the run, in [0, 1). */
function phaseAt(level: RelayLevel, done: number): WarmStartPhase {
  let end = 0;
  const phases = warmStartCurriculum(level);
  return phases.find((phase) => done < (end += phase.share)) ?? phases.at(-1)!;
}

/** Version of the examples; a new one retrains cached models. */
const version = 2;

interface StartingModel {
  readonly settings: Pick<AppConfig, "model" | "warmStart">;
  readonly record: WarmStartRecord | null;
}

/**
 * Warm-starts a model into the run folder; runs with equal settings share the result. Leaves a warm-started model
 * unchanged.
 * @throws LaconicError `config_invalid` for a model with another warm start; `run_exists`
 */
export async function startingModel(
  config: Pick<AppConfig, "warmStart"> & WarmStartedRun,
  modelFolder: ModelFolder,
  chosenDevice: ChosenDevice,
  directory: string,
  progress: Progress,
): Promise<StartingModel> {
  const { warmStart } = config;
  const stored = await warmStartIn(modelFolder.folder);
  const examples = warmStart && (await digestOfExamples(warmStart, config, modelFolder.folder));
  if (stored !== null) {
    // The default seed accepts a model with another seed.
    const isOwnSeed = warmStart?.seed === String(config.train.seed);
    const asked = warmStart && { ...warmStart, ...(isOwnSeed && { seed: stored.warmStart.seed }) };
    if (asked !== null) checkSame(stored, { warmStart: asked, ...present({ examples }) }, modelFolder.pinned);
    const merged =
      asked && ({ ...stored.warmStart, ...(asked.name === "examples" && { examples: asked.examples }) } as const);
    return { settings: { model: modelFolder.pinned, warmStart: merged }, record: stored };
  }
  if (warmStart === null) return { settings: { model: modelFolder.pinned, warmStart }, record: null };
  const asked = { ...warmStart, model: foundAgain(modelFolder.pinned) };
  const about = { warmStart: recorded(asked), ...present({ examples }) };
  if (warmStart.model !== undefined) checkSame(about, { warmStart }, modelFolder.pinned);
  const target = join(directory, taughtFolder);
  const retained = existsSync(target) ? await warmStartIn(target) : null;
  if (retained !== null && sha256Of({ ...retained, loss: 0 }) === sha256Of({ version: 2, ...about, loss: 0 }))
    return { settings: { model: target, warmStart: asked }, record: retained };
  await checkNotBegun(directory);
  const cached = await inCache({ ...about, warmStart: asked }, config, { modelFolder, place: chosenDevice }, progress);
  const record = { ...((await warmStartIn(cached)) as WarmStartRecord), ...about };
  await rm(target, { recursive: true, force: true });
  await makeFolders(directory);
  await cp(cached, target, { recursive: true });
  await writeWarmStart(target, record);
  return { settings: { model: target, warmStart: asked }, record };
}

async function checkNotBegun(directory: string): Promise<void> {
  const { step } = await readRunFacts(folderSource(directory), { processes: nodeProcesses });
  const saved = await findCheckpoint(nodeFileSystem, join(directory, runFiles.checkpoints), "latest").catch(() => null);
  if (step > 0 || saved !== null)
    throw new LaconicError(
      "run_exists",
      `${directory} has a run with another model or warm start; choose another directory`,
      { directory },
    );
}

function checkSame(stored: Learned, asked: Learned, model: string): void {
  const refuse = (key: string, now: unknown, then: unknown): never => {
    throw configError(
      `warmStart.${key} is ${String(now)}, but ${model} was warm-started with ${String(then)}; set warmStart=null, or name the model before its warm start`,
      { key: `warmStart.${key}`, model },
    );
  };
  const earlier: Readonly<Record<string, unknown>> = { ...stored.warmStart };
  for (const [key, value] of Object.entries(asked.warmStart))
    if (key !== "examples" && earlier[key] !== value) refuse(key, value, earlier[key]);
  if (asked.examples !== undefined && asked.examples !== stored.examples)
    refuse("examples", `SHA-256 ${asked.examples.slice(0, 12)}`, stored.examples?.slice(0, 12) ?? "none");
}

type Learned = Pick<WarmStartRecord, "examples"> & { readonly warmStart: WarmStartSettings };

async function inCache(
  { warmStart, examples }: Pick<WarmStartRecord, "warmStart" | "examples">,
  run: WarmStartedRun,
  { modelFolder: { folder }, place: device }: { readonly modelFolder: ModelFolder; readonly place: ChosenDevice },
  progress: Progress,
): Promise<string> {
  const into = join(userCache(), "warm-start");
  const { model, ...options } = warmStart;
  const files = await modelInputs({ model: folder });
  const { name, workers } = device;
  const key = sha256Of({ version, ...options, ...present({ examples }), files, device: name, workers });
  const target = join(into, key.slice(0, 16));
  const reply = warmStartText(warmStart);
  if (existsSync(target)) {
    progress.note(`${reply}, unchanged: ${target}`);
    return target;
  }
  progress.note(`${reply}, before training; they are cached for other runs`);
  await makeFolderOnce(target, (draft) =>
    trainWarmStart({ warmStart: options, run, model, from: folder, to: draft, device }, progress),
  );
  return target;
}

/**
 * SHA-256 of the examples, independent of their path. A function's digest includes its modules, the problems and the
 * tokenization settings. Null for a world's examples.
 */
async function digestOfExamples(
  warmStart: WarmStartSettings,
  { task, policies, memory, chatTemplateArguments }: WarmStartedRun,
  modelFolder: string,
): Promise<string | null> {
  if (warmStart.name !== "examples") return null;
  const { file: _, ...reference } = warmStart.examples;
  const isMade = typeof (await openExamples(warmStart.examples)) === "function";
  const sources = await sourcesOf(isMade ? [warmStart.examples, task] : warmStart.examples);
  const problems = isMade && {
    task: mapReferences(task, (source) => ({ ...source, file: "" })),
    pool: (await openRunTask(task, { modelFolder, templateArguments: chatTemplateArguments })).pool ?? null,
  };
  const contents = Object.values(sources).toSorted();
  return sha256Of({ reference, contents, problems, policies, memory, chatTemplateArguments });
}

/** Team before the warm start, stored as `warm-start.json`. */
export interface BeforeWarmStart {
  /** Hash of settings that affect the evaluation. */
  readonly key: string;
  readonly warmStart: WarmStartRecord["warmStart"];
  readonly said: string;
  /** Uses the problems and random streams of the run's evaluations. */
  readonly before: Evaluation;
}

/** Model before the warm start; null without one. */
export async function fetchedModel({ model }: Pick<AppConfig, "model">, progress: Progress): Promise<string | null> {
  const { folder } = await openModelFolder(model, progress);
  return (await warmStartIn(folder))?.warmStart.model ?? null;
}

/** Evaluates the team before its warm start, once per run. Null, with a warning, if that model is missing. */
export async function measureBeforeWarmStart(
  config: AppConfig,
  { warmStart, examples }: WarmStartRecord,
  chosenDevice: ChosenDevice,
  directory: string,
  progress: Progress,
): Promise<BeforeWarmStart | null> {
  const { train } = config;
  const key = beforeWarmStartKey({ warmStart, ...present({ examples }) }, config);
  const retained = await keptIn(directory);
  if (retained?.key === key) return retained;
  const resources = await runResources(warmStart.model, progress).catch((error: unknown) => {
    progress.warn(`the model before its ${warmStartText(warmStart)} is not measured: ${(error as Error).message}`);
    return null;
  });
  if (resources === null) return null;
  const asItWas = { ...config, model: warmStart.model, warmStart: null };
  const { parts, close } = await openParts(asItWas, chosenDevice, resources);
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

export async function keepBeforeWarmStart(directory: string, measured: BeforeWarmStart): Promise<void> {
  if ((await keptIn(directory))?.key === measured.key) return;
  await writeFile(join(directory, runFiles.warmStart), `${JSON.stringify(measured, null, 2)}\n`);
}

async function keptIn(directory: string): Promise<BeforeWarmStart | null> {
  return (await jsonIn(directory, runFiles.warmStart)) as BeforeWarmStart | null;
}
