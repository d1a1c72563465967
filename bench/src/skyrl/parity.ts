import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  randomFromSeed,
  raggedRow,
  type OptimizerSettings,
  type TrainableModel,
  type TrainingSequence,
} from "@laconic/core";
import { createLocalEngine } from "@laconic/engine";
import { gspo } from "@laconic/gspo";
import { wasmKernels } from "@laconic/kernels-wasm";
import { TinkerClient, tinkerEngine, type ServerRecord } from "@laconic/tinker";
import { adapterWeights, exportedAdapter } from "./exported-adapter.ts";

/** Largest differences between the server and the local engine, which began with the adapter that the server exported. */
export interface Parity {
  readonly sequences: number;
  readonly tokens: number;
  /** Of log-probs before the first step, and after each of three. */
  readonly logProbs: readonly number[];
  /** Of the gradient's norm at each step, as a share of it; null where the server reports none. */
  readonly gradNorms: readonly (number | null)[];
  /** Of the gradient by every weight of the adapter, as a share of the largest; from a step that is proportional to it. */
  readonly gradient: number;
  /** Weights of the adapter that were compared. */
  readonly weights: number;
  /** What three steps changed of each weight, as a share of the largest change. */
  readonly changes: number;
  /** Log-probs of samples, drawn by the server and forwarded here. */
  readonly sampled: number;
  /** `target_modules` of the export. */
  readonly exportedTargets: unknown;
}

const rank = 8;
const adam: OptimizerSettings = {
  learningRate: 0.02,
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-8,
  weightDecay: 0,
  maxGradNorm: Infinity,
};
/** So far above any gradient that a step is the gradient times the rate: no moment of an earlier step, no root. */
const proportional: OptimizerSettings = { ...adam, learningRate: 1e4, epsilon: 1e4, beta1: 0, beta2: 0 };

/** Both engines train the same adapter for three GSPO steps; the server's is read back through the protocol's archives. */
export async function runParity(
  baseUrl: string,
  record: ServerRecord,
  base: string,
  limits: { readonly vocabularySize: number; readonly contextLength: number },
): Promise<Parity> {
  const work = await mkdtemp(join(tmpdir(), "laconic-parity-"));
  const client = await TinkerClient.connect({ baseUrl, deduplicates: record.deduplicates });
  const engine = tinkerEngine({ client, record, ...limits });
  const local = await createLocalEngine({ device: wasmKernels(), workers: 1 });
  try {
    // One adapter for both: made by the server, exported, and saved so that a model of the engine begins with it.
    const made = await client.createModel({ baseModel: record.baseModel, rank, seed: 11 });
    await made.exportSampler("parity-0");
    const initial = await exportedAdapter(baseUrl, made.modelId, "parity-0", join(work, "initial"));
    const saved = await reference(join(work, "saved"), client, record, await made.save("parity-start"));
    await made.unload();
    const folder = { kind: "folder", path: base } as const;
    const remote = await engine.createModel({
      kind: "adapter-folder",
      base: { ...folder, path: record.baseModel },
      path: saved,
    });
    const own = await local.createModel({ kind: "adapter-folder", base: folder, path: initial.folder });
    const sequences = sequencesOf(limits.vocabularySize);
    const logProbs = [await apart(remote, own, sequences)];
    const gradNorms: (number | null)[] = [];
    for (let step = 0; step < 3; step++) {
      const [theirs, ours] = [await gspoStep(remote, sequences, adam), await gspoStep(own, sequences, adam)];
      gradNorms.push(record.gradNorm === null ? null : Math.abs(theirs - ours) / ours);
      logProbs.push(await apart(remote, own, sequences));
    }
    const [before, ownBefore] = [await exported(remote, "parity-1"), await weightsOf(own, join(work, "own-1"))];
    const sampled = await sampledApart(remote, own);
    await gspoStep(remote, sequences, proportional);
    await gspoStep(own, sequences, proportional);
    const [after, ownAfter] = [await exported(remote, "parity-2"), await weightsOf(own, join(work, "own-2"))];
    const change = (to: Weights, from: Weights): Weights => differences(to, from);
    return {
      sequences: sequences.length,
      tokens: sequences.reduce((sum, { completionTokens }) => sum + completionTokens.length, 0),
      logProbs,
      gradNorms,
      sampled,
      gradient: relative(change(after, before), change(ownAfter, ownBefore)),
      weights: [...after.values()].reduce((sum, values) => sum + values.length, 0),
      changes: relative(change(before, initial.weights), change(ownBefore, initial.weights)),
      exportedTargets: initial.targets,
    };

    async function exported(model: TrainableModel, name: string): Promise<Weights> {
      const trained = await client.resumeModel(model.id);
      await trained.exportSampler(name);
      return (await exportedAdapter(baseUrl, model.id, name, join(work, name))).weights;
    }
  } finally {
    await engine.close();
    await local.close();
  }
}

type Weights = ReadonlyMap<string, ArrayLike<number>>;

async function reference(folder: string, client: TinkerClient, record: ServerRecord, path: string): Promise<string> {
  await mkdir(folder);
  const { base: server } = client.transport;
  const saved = { format: 1, path, server, baseModel: record.baseModel, rank, seed: 11, steps: 0 };
  await writeFile(join(folder, "tinker.json"), JSON.stringify(saved));
  return folder;
}

async function weightsOf(model: TrainableModel, folder: string): Promise<Weights> {
  await mkdir(folder);
  await model.save(folder);
  return adapterWeights(folder);
}

function sequencesOf(vocabularySize: number): readonly TrainingSequence[] {
  const random = randomFromSeed("parity");
  const tokens = (count: number): number[] => Array.from({ length: count }, () => random.integer(vocabularySize));
  return [
    [3, 4],
    [5, 2],
    [2, 6],
    [4, 1],
    [3, 3],
    [6, 5],
    [12, 9],
    [1, 7],
  ].map(([prompt = 1, reply = 1]) => ({
    promptTokens: tokens(prompt),
    completionTokens: tokens(reply),
  }));
}

async function gspoStep(
  model: TrainableModel,
  sequences: readonly TrainingSequence[],
  settings: OptimizerSettings,
): Promise<number> {
  const random = randomFromSeed("advantages");
  const advantages = Float64Array.from(sequences, () => 2 * random.uniform() - 1);
  const objective = gspo({ clip: { low: 0.2, high: 0.3 } });
  await model.forwardBackward(
    sequences,
    (logProbs, rows) =>
      objective.evaluate({
        logProbs,
        // Ratios off 1, the same on both sides.
        oldLogProbs: { ...logProbs, values: logProbs.values.map((value, t) => value + 0.05 * Math.sin(t)) },
        advantages: Float64Array.from(rows, (row) => advantages[row] as number),
      }).gradient,
  );
  return (await model.optimStep(settings)).gradNorm;
}

async function apart(a: TrainableModel, b: TrainableModel, sequences: readonly TrainingSequence[]): Promise<number> {
  const [one, other] = [await a.forward(sequences), await b.forward(sequences)];
  return one.logProbs.values.reduce(
    (most, value, i) => Math.max(most, Math.abs(value - (other.logProbs.values[i] ?? NaN))),
    0,
  );
}

async function sampledApart(server: TrainableModel, own: TrainableModel): Promise<number> {
  const replies = await server.sample(
    Array.from({ length: 16 }, (_, i) => ({
      promptTokens: [1, 2, 3 + (i % 4)],
      sampling: { temperature: 1, maxTokens: 12 },
      stopTokens: [0],
      random: randomFromSeed(i).state(),
    })),
  );
  const { logProbs } = await own.forward(
    replies.map(({ promptTokens, tokens }) => ({ promptTokens, completionTokens: tokens })),
  );
  return Math.max(
    ...replies.flatMap((reply, i) =>
      reply.logProbs.map((value, t) => Math.abs(value - (raggedRow(logProbs, i)[t] ?? NaN))),
    ),
  );
}

function differences(to: Weights, from: Weights): Weights {
  return new Map(
    [...to].map(([name, values]) => {
      const old = from.get(name);
      if (old?.length !== values.length) throw new Error(`${name} is not in both adapters`);
      return [name, Float64Array.from(values, (value, i) => value - (old[i] as number))] as const;
    }),
  );
}

/** Largest difference, as a share of the largest value. */
function relative(found: Weights, expected: Weights): number {
  if (found.size !== expected.size) throw new Error(`${found.size} and ${expected.size} matrices`);
  let most = 0;
  let largest = 0;
  for (const [name, values] of expected) {
    const theirs = found.get(name);
    if (theirs?.length !== values.length) throw new Error(`${name} is not in both adapters`);
    for (let i = 0; i < values.length; i++) {
      most = Math.max(most, Math.abs((theirs[i] as number) - (values[i] as number)));
      largest = Math.max(largest, Math.abs(values[i] as number));
    }
  }
  return most / largest;
}
