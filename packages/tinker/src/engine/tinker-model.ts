import {
  configError,
  type ForwardOptions,
  LaconicError,
  type OptimizerResult,
  type OptimizerSettings,
  type PolicySnapshot,
  raggedRow,
  type SampleRequest,
  type SampleResult,
  type SamplingName,
  type SequenceLogProbs,
  type TokenGradient,
  type TokenListener,
  type TrainableModel,
  type TrainingSequence,
} from "@laconic/core";
import {
  checkOptimizerSettings,
  checkSampleRequests,
  samplingCuts,
  checkTokenGradient,
  checkTrainingSequences,
  type ModelLimits,
} from "@laconic/core/backends";
import { tinkerSampling } from "../client/tinker-client.ts";
import { withOther, type TrainingClient } from "../client/training-client.ts";
import { estimated, expectForward, forwardDatum, gradientDatum, type PendingSequence } from "./wire-sequences.ts";
import { RemoteSampler } from "./remote-sampler.ts";
import { SampledChecksum } from "./sampled-checksum.ts";
import { readSavedModel, writeSavedModel, type SavedModel } from "./saved-model.ts";
import type { TinkerEngineOptions } from "./engine-options.ts";

/** Max log-prob difference in nats between both passes. */
const maxDifference = 0.01;

type ModelSeed = Pick<SavedModel, "rank" | "seed">;

interface Settings {
  readonly options: TinkerEngineOptions;
  readonly onDispose: (model: TinkerModel) => void;
}

/**
 * Adapter on the server. Gradients are collected locally until the step, so that a failed call leaves no trace and
 * the number of sequences is known.
 */
export class TinkerModel implements TrainableModel {
  readonly parameters = 0;
  readonly trainableParameters = 0;
  readonly #seed: ModelSeed;
  readonly #settings: Settings;
  readonly supports: readonly SamplingName[];
  readonly #limits: ModelLimits;
  #remote: TrainingClient;
  #steps: number;
  #pending: PendingSequence[] = [];
  #sampler: Promise<RemoteSampler> | null = null;
  #saves = 0;
  readonly #witness: SampledChecksum;
  #order: Promise<unknown> = Promise.resolve();
  #disposed = false;

  constructor(remote: TrainingClient, seed: ModelSeed, steps: number, settings: Settings) {
    const { record, vocabularySize, contextLength } = settings.options;
    const maxPositions = record.contextLength ?? contextLength;
    if (maxPositions === undefined)
      throw configError("the server does not report its context length; set contextLength");
    this.#remote = remote;
    this.#seed = seed;
    this.#steps = steps;
    this.#settings = settings;
    this.supports = tinkerSampling.supports.filter((name) => name !== "temperature" || record.sampledAt !== "one");
    this.#limits = { vocabularySize, maxPositions, sampling: tinkerSampling };
    this.#witness = new SampledChecksum();
  }

  get id(): string {
    return this.#remote.modelId;
  }

  get contextLength(): number {
    return this.#limits.maxPositions;
  }

  get weightVersion(): number {
    return this.#steps;
  }

  async sample(requests: readonly SampleRequest[], onToken?: TokenListener): Promise<readonly SampleResult[]> {
    this.#expectAlive();
    checkSampleRequests(this.#limits, requests);
    if (requests.length === 0) return [];
    const version = this.#steps;
    const replies = await (await this.#currentSampler()).sample(requests, onToken);
    const plain = replies.filter((_, i) => isPlain(requests[i]!.sampling));
    if (version === this.#steps) this.#witness.remember(version, plain);
    return replies;
  }

  forward(sequences: readonly TrainingSequence[], options: ForwardOptions = {}): Promise<SequenceLogProbs> {
    return this.#inOrder(() => this.#forward(sequences, options));
  }

  forwardBackward(sequences: readonly TrainingSequence[], tokenGradient: TokenGradient): Promise<SequenceLogProbs> {
    return this.#inOrder(async () => {
      const seen = await this.#forward(sequences, {});
      const rows = sequences.map((_, row) => row);
      try {
        const gradient = tokenGradient(seen.logProbs, rows);
        checkTokenGradient(gradient, seen.logProbs, rows);
        sequences.forEach(({ promptTokens, completionTokens }, row) => {
          if (completionTokens.length === 0) return;
          const [from, to] = [seen.logProbs.offsets[row], seen.logProbs.offsets[row + 1]];
          this.#pending.push({
            tokens: [...promptTokens, ...completionTokens],
            start: promptTokens.length - 1,
            logProbs: raggedRow(seen.logProbs, row),
            gradient: gradient.slice(from, to),
          });
        });
      } catch (error) {
        this.#pending = [];
        throw error;
      }
      return seen;
    });
  }

  optimStep(settings: OptimizerSettings): Promise<OptimizerResult> {
    return this.#inOrder(async () => {
      checkOptimizerSettings(settings);
      this.#expectClipping(settings);
      const pending = this.#pending;
      this.#pending = [];
      if (pending.length === 0) return { gradNorm: 0, applied: false, step: this.#steps };
      await this.#sendGradient(pending);
      const { maxGradNorm } = settings;
      const clip = Number.isFinite(maxGradNorm) ? { gradClipNorm: maxGradNorm } : {};
      const metrics = await this.#remote.optimStep({ ...settings, ...clip });
      this.#steps += 1;
      this.#sampler = null;
      const gradNorm = this.#gradNormOf(metrics);
      return { gradNorm, applied: true, step: this.#steps };
    });
  }

  snapshot(): Promise<PolicySnapshot> {
    return this.#inOrder(async () => {
      const sampler = await this.#currentSampler();
      const [weightVersion, limits] = [this.#steps, this.#limits];
      let disposed = false;
      const expectAlive = (): void => {
        if (disposed) throw new LaconicError("engine_failed", "the snapshot was disposed");
        this.#expectAlive();
      };
      return {
        weightVersion,
        sample: async (requests, onToken) => {
          expectAlive();
          checkSampleRequests(limits, requests);
          return sampler.sample(requests, onToken);
        },
        forward: async (sequences, options = {}) => {
          expectAlive();
          return this.#steps === weightVersion
            ? this.forward(sequences, options)
            : sampler.logProbsOf(sequences, options);
        },
        dispose: async () => {
          disposed = true;
        },
      };
    });
  }

  save(folder: string): Promise<readonly string[]> {
    return this.#inOrder(async () => {
      const { client, record } = this.#settings.options;
      const path = await withOther(() =>
        this.#remote.save(`${this.id}-${this.#steps}-${this.#saves++}`.replaceAll(/[^\w-]/gu, "-").slice(-255)),
      );
      const { rank, seed } = this.#seed;
      const { base: server } = client.transport;
      return [
        await writeSavedModel(folder, { path, server, baseModel: record.baseModel, rank, seed, steps: this.#steps }),
      ];
    });
  }

  /** Servers load only into new models. */
  load(folder: string): Promise<void> {
    return this.#inOrder(async () => {
      const saved = await readSavedModel(folder);
      const { client, record } = this.#settings.options;
      const { rank, seed } = this.#seed;
      if (saved.baseModel !== record.baseModel || saved.rank !== rank)
        throw new LaconicError(
          "weights_invalid",
          `${folder}: expected an adapter of rank ${rank} on ${record.baseModel}, got rank ${saved.rank} on ${saved.baseModel}`,
          { folder },
        );
      const old = this.#remote;
      if (!record.severalModels) await old.unload();
      const fresh = await client.createModel({ baseModel: record.baseModel, rank, seed });
      await fresh.load(saved.path, { optimizer: true });
      this.#remote = fresh;
      this.#steps = saved.steps;
      this.#pending = [];
      this.#sampler = null;
      if (record.severalModels) await old.unload().catch(() => undefined);
    });
  }

  async dispose(): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#settings.onDispose(this);
    await this.#order;
    await this.#remote.unload().catch(() => undefined);
  }

  async #forward(sequences: readonly TrainingSequence[], options: ForwardOptions): Promise<SequenceLogProbs> {
    checkTrainingSequences(this.#limits, sequences);
    expectForward(sequences, options);
    const spoken = sequences.filter(({ completionTokens }) => completionTokens.length > 0);
    const rows: number[][] = [];
    for (const part of this.#parts(spoken)) {
      const { loss_fn_outputs } = await this.#remote.forward(part.map(forwardDatum), "cross_entropy");
      loss_fn_outputs.forEach(({ logprobs }, i) => rows.push(logprobs.data.slice(part[i]!.promptTokens.length - 1)));
    }
    let next = 0;
    const result = estimated(
      sequences.map(({ completionTokens }) => (completionTokens.length > 0 ? (rows[next++] ?? []) : [])),
    );
    const error = this.#witness.check(this.#steps, sequences, result.logProbs);
    return error ? this.#condemn(error) : result;
  }

  async #sendGradient(pending: readonly PendingSequence[]): Promise<void> {
    const { record } = this.#settings.options;
    const sent = this.#parts(pending).map(async (part) => {
      const data = part.map((sequence) => gradientDatum(sequence, pending.length, record.reduction));
      const { loss_fn_outputs } = await this.#remote.forwardBackward(data, "importance_sampling");
      part.forEach(({ start, logProbs }, i) => {
        const again = loss_fn_outputs[i]?.logprobs.data ?? [];
        const off = logProbs.findIndex((value, t) => Math.abs(value - (again[start + t] ?? NaN)) > maxDifference);
        if (off < 0) return;
        const reason = `log-prob ${again[start + off]}, expected ${logProbs[off]}`;
        const message = `the server computed a gradient at other weights: ${reason}`;
        this.#condemn(new LaconicError("engine_failed", message, { model: this.id, token: off }));
      });
    });
    await Promise.all(sent);
  }

  #gradNormOf(metrics: Readonly<Record<string, number>>): number {
    const { record, gradientCeiling = Infinity } = this.#settings.options;
    if (record.gradNorm === null) return NaN;
    const norm = metrics[record.gradNorm] ?? NaN;
    if (Number.isFinite(norm) && norm <= gradientCeiling) return norm;
    const message = `the server stepped on a gradient of norm ${norm}, the ceiling is ${gradientCeiling}: continue from a checkpoint`;
    return this.#condemn(new LaconicError("numeric_invalid", message, { gradNorm: norm, ceiling: gradientCeiling }));
  }

  #condemn(error: LaconicError): never {
    this.#remote.condemn(error);
    throw error;
  }

  #expectClipping({ maxGradNorm }: OptimizerSettings): void {
    if (maxGradNorm === Infinity || this.#settings.options.record.clips) return;
    throw configError(
      `optimizer: maxGradNorm is ${maxGradNorm}, but the server does not clip gradients; set Infinity and a gradientCeiling`,
      { key: "maxGradNorm" },
    );
  }

  /** A single sampler per weight version, because servers batch per sampler. */
  #currentSampler(): Promise<RemoteSampler> {
    const [version, { options }] = [this.#steps, this.#settings];
    this.#sampler ??= this.#remote
      .saveForSampler(options.samplerTtlSeconds)
      .then((id) => new RemoteSampler(id, options, () => this.#steps === version));
    const made = this.#sampler;
    made.catch(() => {
      if (this.#sampler === made) this.#sampler = null;
    });
    return made;
  }

  #parts<T>(all: readonly T[]): T[][] {
    const { sequencesPerRequest = 256 } = this.#settings.options;
    const parts: T[][] = [];
    for (let start = 0; start < all.length; start += sequencesPerRequest)
      parts.push(all.slice(start, start + sequencesPerRequest));
    return parts;
  }

  #inOrder<T>(body: () => Promise<T>): Promise<T> {
    const next = this.#order.then(() => {
      this.#expectAlive();
      return body();
    });
    this.#order = next.catch(() => undefined);
    return next;
  }

  #expectAlive(): void {
    if (this.#disposed) throw new LaconicError("engine_failed", `model ${this.id} was disposed`, { model: this.id });
  }
}

/** Samples from the whole distribution at temperature 1, as in a training pass. */
function isPlain(sampling: SampleRequest["sampling"]): boolean {
  return sampling.temperature === 1 && samplingCuts(sampling).length === 0;
}
