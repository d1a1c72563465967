import { existsSync } from "node:fs";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  LaconicError,
  randomFromSeed,
  type ChatTokenizer,
  type OptimizerSettings,
  type TrainableModel,
} from "@laconic/core";
import { parseJson } from "@laconic/core/json";
import { makeFolders, moveFile } from "@laconic/core/platform";
import { createLocalEngine, decodeSafetensors, encodeSafetensors } from "@laconic/engine";
import { learnMerges, smallTokenizer, tokenizerOf, type Merges } from "@laconic/hub/tokenizers";
import { drawLessons, type Lesson } from "@laconic/tasks/steps";
import {
  encodeExample,
  nodeFileSystem,
  supervised,
  supervisedDefaults,
  type Likelihood,
  type WeightedSequence,
} from "@laconic/trainer";
import type { ChosenDevice } from "../devices/choose-device.ts";
import { smallModel, writeTokenizer } from "../models/model-folder.ts";

/** Settings of training a base model from scratch; a resumed training keeps them. */
export interface PretrainSettings {
  /** More steps than a finished training has continue it with another cycle of the learning rate. */
  readonly steps: number;
  /** Lessons per step. */
  readonly batch: number;
  /** Peak of embeddings and norms; constant for 30 % of the steps, then falls to 2 %. */
  readonly learningRate: number;
  /** The same for the layers' matrices, by Muon. */
  readonly muon: number;
  /**
   * First steps, counted over all cycles, which have only bare questions: copying is learned sooner from short texts.
   * A further cycle may change it.
   */
  readonly bareSteps: number;
  /** Weight of a prompt token's loss; reply tokens have 1. */
  readonly promptWeight: number;
  /** Byte pair merges of the tokenizer. */
  readonly merges: number;
  readonly width: number;
  readonly layers: number;
  readonly seed: string;
}

/** The base of the benchmark `steps`: 1.4 million weights. */
export const reasonerBase: PretrainSettings = {
  steps: 8400,
  batch: 24,
  learningRate: 4e-3,
  muon: 0.02,
  bareSteps: 4200,
  promptWeight: 0.1,
  merges: 2048,
  width: 128,
  layers: 5,
  seed: "reasoner",
};

/** Averages the steps since the last row of the curve, or since the training was resumed. */
export interface PretrainRow {
  readonly step: number;
  /** Tokens of prompts and replies since the start. */
  readonly tokens: number;
  /** Mean cross-entropy of reply tokens in nats. */
  readonly loss: number;
}

/** Training so far. */
export interface PretrainState {
  /** Steps before the present cycle. */
  readonly begun: number;
  readonly settings: PretrainSettings;
  readonly step: number;
  readonly tokens: number;
  readonly curve: readonly PretrainRow[];
}

/** Place and events of a training. */
export interface PretrainOptions {
  /** Becomes a model folder. */
  readonly folder: string;
  readonly place: ChosenDevice;
  readonly signal?: AbortSignal;
  onStep(row: PretrainRow): void;
}

const stateFile = "pretrain.json";
const rowSteps = 50;
const saveSeconds = 120;
const batchesPerDraw = 8;
const tokenizerLessons = 6000;

/**
 * Trains a decoder from scratch on an endless stream of lessons, or resumes it. Saves every two minutes.
 * @throws LaconicError `run_exists` for a folder with other settings; `aborted` after saving
 */
export async function pretrain(settings: PretrainSettings, options: PretrainOptions): Promise<PretrainState> {
  const { folder, place, signal, onStep } = options;
  const saved = await savedState(folder, settings);
  if (saved?.step === settings.steps) return saved;
  const files = saved ? await savedTokenizer(folder) : smallTokenizer(await mergesFor(settings));
  const tokenizer = tokenizerOf({ ...files, generation: {} });
  const engine = await createLocalEngine({ device: place.sources, workers: place.workers });
  try {
    const { vocabularySize, endToken } = tokenizer;
    const sizes = { vocabularySize, endToken, positions: 4096, width: settings.width, layers: settings.layers };
    const config = smallModel({ ...sizes, intermediateSize: 3 * settings.width });
    const model = await engine.createModel({ kind: "config", config, seed: settings.seed });
    if (saved) await model.load(folder);
    let state: PretrainState = saved ?? { settings, begun: 0, step: 0, tokens: 0, curve: [] };
    let savedAt = performance.now();
    let sums = { loss: 0, tokens: 0 };
    const batch = lessonStream(settings, tokenizer);
    const onTrained = async (step: number, { sequences, logProbs }: Likelihood): Promise<void> => {
      const reply = replyLoss(sequences, logProbs.values);
      sums = { loss: sums.loss + reply.loss, tokens: sums.tokens + reply.tokens };
      state = { ...state, step, tokens: state.tokens + sequences.length + logProbs.values.length };
      if (step % rowSteps === 0 || step === settings.steps) {
        const row = { step, tokens: state.tokens, loss: sums.loss / sums.tokens };
        state = { ...state, curve: [...state.curve, row] };
        sums = { loss: 0, tokens: 0 };
        onStep(row);
      }
      if (performance.now() - savedAt < 1000 * saveSeconds) return;
      await save(folder, model, files, state);
      savedAt = performance.now();
    };
    const optimizerAt = (step: number): OptimizerSettings => {
      const rate = rateAt(state, step);
      return { ...optimizer, learningRate: settings.learningRate * rate, muon: settings.muon * rate };
    };
    const { steps } = settings;
    const random = randomFromSeed(settings.seed);
    await supervised(model, {
      steps,
      firstStep: state.step,
      batch,
      random,
      optimizerAt,
      onStep: onTrained,
      ...(signal && { signal }),
    }).catch(async (error: unknown) => {
      if (!LaconicError.is(error) || error.code !== "aborted") throw error;
      await save(folder, model, files, state);
      throw new LaconicError("aborted", `stopped and saved after step ${state.step} of ${steps}`, { folder });
    });
    await save(folder, model, files, state);
    return state;
  } finally {
    await engine.close();
  }
}

const optimizer = { beta1: 0.9, beta2: 0.98, epsilon: 1e-8, weightDecay: 0.01, maxGradNorm: 1 };

/** Cross-entropy of the tokens of weight 1, summed. */
function replyLoss(
  sequences: readonly WeightedSequence[],
  logProbs: Likelihood["logProbs"]["values"],
): { readonly loss: number; readonly tokens: number } {
  const weights = sequences.flatMap(({ tokenWeights = [] }) => tokenWeights);
  const replies = logProbs.filter((_, i) => weights[i] === 1);
  return { loss: -replies.reduce((sum, value) => sum + value, 0), tokens: replies.length };
}

/** Share of the peak learning rates; later cycles have a lower peak. */
function rateAt({ begun, settings: { steps } }: PretrainState, step: number): number {
  const done = (step - begun) / (steps - begun);
  const peak = begun === 0 ? 1 : 0.4;
  return peak * Math.min(1, (step - begun + 1) / 50) * (done < 0.3 ? 1 : Math.max(0.02, (1 - done) / 0.7));
}

/** Batches by step; lessons of equal length are in one batch. */
export function lessonStream(
  { seed, batch, bareSteps, promptWeight }: PretrainSettings,
  tokenizer: ChatTokenizer,
): (step: number) => Promise<readonly WeightedSequence[]> {
  let drawn: { readonly index: number; readonly batches: readonly (readonly WeightedSequence[])[] } | null = null;
  return async (step) => {
    const index = Math.floor(step / batchesPerDraw);
    if (drawn?.index !== index) drawn = { index, batches: await drawBatches(index) };
    return drawn.batches[step % batchesPerDraw]!;
  };
  async function drawBatches(index: number): Promise<(readonly WeightedSequence[])[]> {
    const random = randomFromSeed(seed).split(index);
    const isBare = index * batchesPerDraw < bareSteps;
    const examples: WeightedSequence[] = [];
    for (let i = 0; examples.length < batch * batchesPerDraw; i++)
      for (const lesson of await drawLessons(random.split(i), isBare))
        examples.push(encodeLesson(lesson, tokenizer, promptWeight));
    const sorted = examples
      .slice(0, batch * batchesPerDraw)
      .toSorted((a, b) => a.completionTokens.length - b.completionTokens.length);
    const batches = Array.from({ length: batchesPerDraw }, (_, i) => sorted.slice(i * batch, (i + 1) * batch));
    return random.split("order").shuffle(batches);
  }
}

/** All tokens after the first are learned; those of the prompt weigh less. */
function encodeLesson({ messages, reply }: Lesson, tokenizer: ChatTokenizer, promptWeight: number): WeightedSequence {
  const chat = { prompt: messages, completion: [{ role: "assistant", content: reply }] } as const;
  const [{ promptTokens, completionTokens } = { promptTokens: [], completionTokens: [] }] = encodeExample(
    chat,
    tokenizer,
    supervisedDefaults,
    Infinity,
  );
  const tokens = [...promptTokens, ...completionTokens];
  return {
    promptTokens: tokens.slice(0, 1),
    completionTokens: tokens.slice(1),
    tokenWeights: tokens.slice(1).map((_, i) => (i + 1 < promptTokens.length ? promptWeight : 1)),
  };
}

async function mergesFor({ seed, merges }: PretrainSettings): Promise<Merges> {
  const random = randomFromSeed(seed).split("tokenizer");
  const texts: string[] = [];
  for (let i = 0; i < tokenizerLessons; i++)
    for (const { messages, reply } of await drawLessons(random.split(i), i % 4 > 0))
      texts.push(...messages.map(({ content }) => content), reply);
  return learnMerges(texts, merges);
}

/** Replaces the folder's content only when the new one is complete and synced. */
async function save(
  folder: string,
  model: TrainableModel,
  files: ReturnType<typeof smallTokenizer>,
  state: PretrainState,
): Promise<void> {
  const [draft, old] = [`${folder}.new`, `${folder}.old`];
  await rm(draft, { recursive: true, force: true });
  await makeFolders(draft);
  await model.save(draft);
  if (state.step === state.settings.steps) await halveWeights(draft);
  await writeTokenizer(draft, files);
  await writeFile(join(draft, stateFile), `${JSON.stringify(state)}\n`);
  for (const file of await readdir(draft)) await nodeFileSystem.syncFile(join(draft, file));
  await nodeFileSystem.syncDirectory(draft);
  await rm(old, { recursive: true, force: true });
  if (existsSync(folder)) await moveFile(folder, old);
  await moveFile(draft, folder);
  await rm(old, { recursive: true, force: true });
}

/** A finished base is a model without optimizer, with weights of two bytes. */
async function halveWeights(folder: string): Promise<void> {
  const path = join(folder, "model.safetensors");
  const { tensors } = decodeSafetensors(await readFile(path), path);
  await writeFile(path, encodeSafetensors(tensors, {}, "F16"));
  await rm(join(folder, "optimizer.safetensors"), { force: true });
}

async function savedState(folder: string, settings: PretrainSettings): Promise<PretrainState | null> {
  // The process was killed between the two moves.
  if (!existsSync(folder) && existsSync(`${folder}.old`)) await moveFile(`${folder}.old`, folder);
  const path = join(folder, stateFile);
  const text = await readFile(path, "utf8").catch(() => null);
  if (text === null && existsSync(folder))
    throw new LaconicError("run_exists", `${folder} is not a pretraining; choose another folder`, { folder });
  if (text === null) return null;
  const state = parseJson(text, path) as PretrainState;
  const isLonger = state.step === state.settings.steps && settings.steps > state.step;
  const { steps, bareSteps } = isLonger ? state.settings : settings;
  if (JSON.stringify({ ...settings, steps, bareSteps }) === JSON.stringify(state.settings))
    return isLonger ? { ...state, settings, begun: state.step } : state;
  throw new LaconicError("run_exists", `${folder} was trained with other settings; choose another folder`, { folder });
}

async function savedTokenizer(folder: string): Promise<ReturnType<typeof smallTokenizer>> {
  const text = await readFile(join(folder, "tokenizer.json"), "utf8");
  const { model } = parseJson(text, "tokenizer.json") as { readonly model: { readonly merges: Merges } };
  return smallTokenizer(model.merges);
}
