import {
  ragged,
  type EngineCapabilities,
  type OptimizerResult,
  type OptimizerSettings,
  type PolicySnapshot,
  type Ragged,
  type SampleRequest,
  type SampleResult,
  type SequenceLogProbs,
  type TokenGradient,
  type TrainableModel,
  type TrainingSequence,
} from "@laconic/core";
import { checkRequests, type ModelLimits } from "../generation/check-requests.ts";
import { checkOptimizerSettings } from "../optimizer/check-settings.ts";
import { checkSequences, checkTokenGradient } from "./check-training.ts";
import { deal, dealGroups } from "./deal.ts";
import type { EngineHost, HostLogProbs, ModelFacts, WeightsId } from "./engine-host.ts";
import { createExchange, type GradientExchange } from "./gradient-exchange.ts";

/** A model whose replicas live on one or more hosts. All replicas hold the same weights, bit for bit. */
export class LocalModel implements TrainableModel {
  readonly id: string;
  readonly parameters: number;
  readonly trainableParameters: number;
  readonly #hosts: readonly EngineHost[];
  readonly #model: number;
  readonly #maxTokens: number;
  readonly #limits: ModelLimits;
  readonly #exchange: GradientExchange | null;
  #weightVersion: number;
  /** Sequences trained on since the last optimiser step. */
  #sequences = 0;
  /** Calls run in the order they were made. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(
    hosts: readonly EngineHost[],
    model: number,
    facts: ModelFacts,
    settings: { readonly maxTokensPerMicroBatch: number; readonly dtype: EngineCapabilities["dtype"] },
  ) {
    this.id = `local-${model}`;
    this.parameters = facts.parameters;
    this.trainableParameters = facts.trainableParameters;
    this.#hosts = hosts;
    this.#model = model;
    this.#weightVersion = facts.weightVersion;
    this.#limits = facts.limits;
    this.#maxTokens = settings.maxTokensPerMicroBatch;
    this.#exchange =
      hosts.length === 1 ? null : createExchange(facts.trainableParameters, hosts.length, settings.dtype);
  }

  get weightVersion(): number {
    return this.#weightVersion;
  }

  sample(requests: readonly SampleRequest[]): Promise<readonly SampleResult[]> {
    return this.#inOrder(() => this.#sample("live", requests));
  }

  forward(sequences: readonly TrainingSequence[]): Promise<SequenceLogProbs> {
    return this.#inOrder(() => this.#forward("live", sequences));
  }

  /** A call that fails midway discards the gradient added up so far: half a batch must not be stepped on. */
  forwardBackward(sequences: readonly TrainingSequence[], tokenGradient: TokenGradient): Promise<SequenceLogProbs> {
    return this.#inOrder(async () => {
      checkSequences(this.#limits, sequences);
      try {
        const results = new Array<RowResult>(sequences.length);
        for (const round of this.#rounds(sequences)) await this.#trainRound(sequences, round, tokenGradient, results);
        this.#sequences += sequences.length;
        return gather(results);
      } catch (error) {
        this.#sequences = 0;
        await Promise.allSettled(this.#hosts.map((host) => host.discardGradient(this.#model)));
        throw error;
      }
    });
  }

  optimStep(settings: OptimizerSettings): Promise<OptimizerResult> {
    return this.#inOrder(async () => {
      checkOptimizerSettings(settings);
      const exchange = (await this.#exchangeGradients()) ? this.#exchange : null;
      const results = await Promise.all(this.#hosts.map((host) => host.optimStep(this.#model, settings, exchange)));
      this.#sequences = 0;
      const result = results[0] as OptimizerResult;
      this.#weightVersion = result.step;
      return result;
    });
  }

  snapshot(): Promise<PolicySnapshot> {
    return this.#inOrder(async () => {
      const copies = await Promise.all(this.#hosts.map((host) => host.snapshot(this.#model)));
      const { snapshot, weightVersion } = copies[0] as (typeof copies)[0];
      return {
        weightVersion,
        sample: (requests) => this.#inOrder(() => this.#sample(snapshot, requests)),
        forward: (sequences) => this.#inOrder(() => this.#forward(snapshot, sequences)),
        dispose: () =>
          this.#inOrder(async () => {
            await Promise.all(this.#hosts.map((host) => host.disposeSnapshot(this.#model, snapshot)));
          }),
      };
    });
  }

  save(folder: string): Promise<readonly string[]> {
    return this.#inOrder(() => this.#host(0).save(this.#model, folder));
  }

  load(folder: string): Promise<void> {
    return this.#inOrder(async () => {
      const loaded = await Promise.all(this.#hosts.map((host) => host.load(this.#model, folder)));
      this.#sequences = 0;
      this.#weightVersion = (loaded[0] as (typeof loaded)[0]).weightVersion;
    });
  }

  dispose(): Promise<void> {
    return this.#inOrder(async () => {
      await Promise.all(this.#hosts.map((host) => host.disposeModel(this.#model)));
    });
  }

  /** One micro-batch on every replica. */
  async #trainRound(
    sequences: readonly TrainingSequence[],
    round: readonly (readonly number[])[],
    tokenGradient: TokenGradient,
    results: RowResult[],
  ): Promise<void> {
    const passes = await Promise.all(
      round.map((rows, replica) =>
        this.#host(replica).forwardForGradient(
          this.#model,
          rows.map((row) => sequences[row] as TrainingSequence),
          rows.map((row) => this.#sequences + row),
        ),
      ),
    );
    round.forEach((rows, replica) => scatter(passes[replica] as HostLogProbs, rows, results));
    const rows = round.flat();
    const logProbs = ragged(rows.map((row) => (results[row] as RowResult).logProbs));
    const gradient = tokenGradient(logProbs, rows);
    checkTokenGradient(gradient, logProbs, rows);
    let end = 0;
    await Promise.all(
      passes.map((pass, replica) => {
        const start = end;
        end += pass.offsets.at(-1) as number;
        return this.#host(replica).backward(this.#model, gradient.slice(start, end));
      }),
    );
  }

  /** False when there is one replica, or none of them has a gradient. */
  async #exchangeGradients(): Promise<boolean> {
    const exchange = this.#exchange;
    if (!exchange) return false;
    const filled = await Promise.all(
      this.#hosts.map((host, replica) => host.exportGradient(this.#model, exchange, replica)),
    );
    return filled.includes(true);
  }

  #host(replica: number): EngineHost {
    return this.#hosts[replica] as EngineHost;
  }

  #inOrder<T>(task: () => Promise<T>): Promise<T> {
    const run = this.#queue.then(task);
    this.#queue = run.catch(() => undefined);
    return run;
  }

  async #sample(weights: WeightsId, requests: readonly SampleRequest[]): Promise<SampleResult[]> {
    checkRequests(this.#limits, requests);
    const keys = requests.map((request) => request.promptTokens.join(","));
    const costs = requests.map((request) => request.promptTokens.length + request.sampling.maxTokens);
    const results = new Array<SampleResult>(requests.length);
    await Promise.all(
      dealGroups(keys, costs, this.#hosts.length).map(async (rows, replica) => {
        if (rows.length === 0) return;
        const part = await this.#host(replica).sample(
          this.#model,
          weights,
          rows.map((row) => requests[row] as SampleRequest),
        );
        rows.forEach((row, i) => (results[row] = part[i] as SampleResult));
      }),
    );
    return results;
  }

  async #forward(weights: WeightsId, sequences: readonly TrainingSequence[]): Promise<SequenceLogProbs> {
    checkSequences(this.#limits, sequences);
    const results = new Array<RowResult>(sequences.length);
    for (const round of this.#rounds(sequences)) {
      await Promise.all(
        round.map(async (rows, replica) => {
          const part = rows.map((row) => sequences[row] as TrainingSequence);
          scatter(await this.#host(replica).forward(this.#model, weights, part), rows, results);
        }),
      );
    }
    return gather(results);
  }

  /** Micro-batches by replica: round r gives replica w the rows `rounds[r][w]`. All replicas of a round run together. */
  #rounds(sequences: readonly TrainingSequence[]): number[][][] {
    const lengths = sequences.map((sequence) => sequence.promptTokens.length + sequence.completionTokens.length);
    const shares = deal(lengths, this.#hosts.length).map((rows) => cut(rows, lengths, this.#maxTokens));
    const count = Math.max(0, ...shares.map((share) => share.length));
    return Array.from({ length: count }, (_, round) => shares.map((share) => share[round] ?? []));
  }
}

interface RowResult {
  readonly logProbs: Float64Array;
  readonly entropy: Float64Array;
}

/** Consecutive runs of rows of at most `most` tokens each; a longer single row stands alone. */
function cut(rows: readonly number[], lengths: readonly number[], most: number): number[][] {
  const parts: number[][] = [];
  let tokens = Infinity;
  for (const row of rows) {
    const length = lengths[row] as number;
    if (tokens + length > most) {
      parts.push([]);
      tokens = 0;
    }
    (parts.at(-1) as number[]).push(row);
    tokens += length;
  }
  return parts;
}

function scatter(pass: HostLogProbs, rows: readonly number[], results: RowResult[]): void {
  rows.forEach((row, i) => {
    const [start, end] = [pass.offsets[i], pass.offsets[i + 1]];
    results[row] = { logProbs: pass.logProbs.slice(start, end), entropy: pass.entropy.slice(start, end) };
  });
}

function gather(results: readonly RowResult[]): { logProbs: Ragged; entropy: Ragged } {
  return {
    logProbs: ragged(results.map((result) => result.logProbs)),
    entropy: ragged(results.map((result) => result.entropy)),
  };
}
