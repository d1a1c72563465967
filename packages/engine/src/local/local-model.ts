import {
  checkOptimizerSettings,
  checkSampleRequests,
  kernelSampling,
  checkTokenGradient,
  checkTopLogProbs,
  checkTrainingSequences,
  ragged,
  type EngineCapabilities,
  type ForwardOptions,
  type LogProbsAtOne,
  type ModelLimits,
  type OptimizerResult,
  type OptimizerSettings,
  type PolicySnapshot,
  type SampleRequest,
  type SampleResult,
  type SamplingName,
  type SequenceLogProbs,
  type TokenListener,
  type TokenGradient,
  type TrainableModel,
  type TrainingSequence,
} from "@laconic/core";
import { CallOrder } from "./call-order.ts";
import { balance } from "./balance.ts";
import type { EngineHost, HostLogProbs, ModelFacts, WeightsId } from "./engine-host.ts";
import { createExchange, type GradientExchange } from "./gradient-exchange.ts";
import { isOutOfMemory } from "@laconic/kernels";
import { SharedSampling } from "./shared-sampling.ts";
import { cut, halve, sequenceTokens, totalTokens } from "./micro-batches.ts";

/** What an engine's models have in common. */
export interface LocalModelSettings {
  readonly maxTokensPerMicroBatch: number;
  readonly dtype: EngineCapabilities["dtype"];
  readonly onWarning?: (message: string) => void;
}

/** A model whose replicas live on one or more hosts. All replicas hold the same weights, bit for bit. */
export class LocalModel implements TrainableModel {
  readonly id: string;
  readonly parameters: number;
  readonly trainableParameters: number;
  readonly contextLength: number;
  readonly supports: readonly SamplingName[] = kernelSampling;
  readonly #hosts: readonly EngineHost[];
  readonly #model: number;
  readonly #onWarning: ((message: string) => void) | undefined;
  readonly #limits: ModelLimits;
  readonly #exchange: GradientExchange | null;
  readonly #sampling: SharedSampling;
  #weightVersion: number;
  /** Falls when the device runs out of memory. */
  #maxTokens: number;
  #warned = false;
  /** Sequences trained on since the last optimiser step. */
  #sequences = 0;
  /** Samples run together. */
  readonly #order = new CallOrder();

  constructor(hosts: readonly EngineHost[], model: number, facts: ModelFacts, settings: LocalModelSettings) {
    this.id = `local-${model}`;
    this.parameters = facts.parameters;
    this.trainableParameters = facts.trainableParameters;
    this.contextLength = facts.limits.maxPositions;
    this.#hosts = hosts;
    this.#model = model;
    this.#weightVersion = facts.weightVersion;
    this.#limits = facts.limits;
    this.#maxTokens = settings.maxTokensPerMicroBatch;
    this.#onWarning = settings.onWarning;
    this.#sampling = new SharedSampling(hosts, model);
    this.#exchange =
      hosts.length === 1 ? null : createExchange(facts.trainableParameters, hosts.length, settings.dtype);
  }

  get weightVersion(): number {
    return this.#weightVersion;
  }

  sample(requests: readonly SampleRequest[], onToken?: TokenListener): Promise<readonly SampleResult[]> {
    return this.#order.together(() => this.#sample("live", requests, onToken));
  }

  forward(sequences: readonly TrainingSequence[], options: ForwardOptions = {}): Promise<SequenceLogProbs> {
    return this.#order.alone(() => this.#forward("live", sequences, options));
  }

  /** A call that fails midway discards the gradient added up so far: half a batch must not be stepped on. */
  forwardBackward(sequences: readonly TrainingSequence[], tokenGradient: TokenGradient): Promise<SequenceLogProbs> {
    return this.#order.alone(async () => {
      checkTrainingSequences(this.#limits, sequences);
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
    return this.#order.alone(async () => {
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
    return this.#order.alone(async () => {
      const copies = await Promise.all(this.#hosts.map((host) => host.snapshot(this.#model)));
      const { snapshot, weightVersion } = copies[0] as (typeof copies)[0];
      return {
        weightVersion,
        sample: (requests, onToken) => this.#order.together(() => this.#sample(snapshot, requests, onToken)),
        forward: (sequences, options = {}) => this.#order.alone(() => this.#forward(snapshot, sequences, options)),
        dispose: () =>
          this.#order.alone(async () => {
            await Promise.all(this.#hosts.map((host) => host.disposeSnapshot(this.#model, snapshot)));
          }),
      };
    });
  }

  save(folder: string): Promise<readonly string[]> {
    return this.#order.alone(() => this.#host(0).save(this.#model, folder));
  }

  load(folder: string): Promise<void> {
    return this.#order.alone(async () => {
      const loaded = await Promise.all(this.#hosts.map((host) => host.load(this.#model, folder)));
      this.#sequences = 0;
      this.#weightVersion = (loaded[0] as (typeof loaded)[0]).weightVersion;
    });
  }

  dispose(): Promise<void> {
    return this.#order.alone(async () => {
      await Promise.all(this.#hosts.map((host) => host.disposeModel(this.#model)));
    });
  }

  /** One micro-batch on every replica; two smaller ones where a device has no room for it. */
  async #trainRound(
    sequences: readonly TrainingSequence[],
    round: readonly (readonly number[])[],
    tokenGradient: TokenGradient,
    results: RowResult[],
  ): Promise<void> {
    const outcomes = await Promise.allSettled(
      round.map((rows, replica) =>
        this.#host(replica).forwardForGradient(
          this.#model,
          rows.map((row) => sequences[row] as TrainingSequence),
          rows.map((row) => this.#sequences + row),
        ),
      ),
    );
    const smaller = this.#smallerRounds(sequences, round, outcomes);
    if (smaller) {
      for (const part of smaller) await this.#trainRound(sequences, part, tokenGradient, results);
      return;
    }
    const passes = await Promise.all(outcomes.map(settled));
    round.forEach((rows, replica) => scatter(passes[replica] as HostLogProbs, rows, results));
    const rows = round.flat();
    const logProbs = ragged(rows.map((row) => (results[row] as RowResult).logProbs));
    const gradient = tokenGradient(logProbs, rows);
    checkTokenGradient(gradient, logProbs, rows);
    let end = 0;
    const fitted = await Promise.all(
      passes.map((pass, replica) => {
        const start = end;
        end += pass.offsets.at(-1) as number;
        return this.#host(replica).backward(this.#model, gradient.slice(start, end));
      }),
    );
    for (const tokens of fitted) if (tokens !== null) this.#limitTokens(tokens);
  }

  /** The two halves of a round in which a replica ran out of memory; null when none did. @throws when it cannot be halved. */
  #smallerRounds(
    sequences: readonly TrainingSequence[],
    round: readonly (readonly number[])[],
    outcomes: readonly PromiseSettledResult<unknown>[],
  ): number[][][] | null {
    const failed = outcomes.findIndex(
      ({ status, reason }: { status: string; reason?: unknown }) => status === "rejected" && isOutOfMemory(reason),
    );
    if (failed < 0) return null;
    const lengths = sequences.map(sequenceTokens);
    const halves = round.map((rows) => halve(rows.map((row) => lengths[row] as number)));
    if (!halves[failed]) throw (outcomes[failed] as PromiseRejectedResult).reason;
    const parts = [0, 1].map((side) =>
      round.map((rows, replica) => {
        const half = halves[replica]?.[side as 0 | 1];
        if (half) return half.map((position) => rows[position] as number);
        return side === 0 ? [...rows] : [];
      }),
    );
    const tokens = parts.flat().map((rows) => rows.reduce((sum, row) => sum + (lengths[row] as number), 0));
    this.#limitTokens(Math.max(...tokens));
    return parts;
  }

  /** Later micro-batches start at the size that fitted. Said once. */
  #limitTokens(tokens: number): void {
    if (tokens >= this.#maxTokens) return;
    if (!this.#warned)
      this.#onWarning?.(
        `${this.id}: the device ran out of memory; micro-batches shrink to ${tokens} tokens and may shrink further. Results stay the same but for rounding; maxTokensPerMicroBatch: ${tokens} saves the passes that fail`,
      );
    this.#warned = true;
    this.#maxTokens = tokens;
  }

  /** False when there is one replica, or none of them has a gradient. */
  async #exchangeGradients(): Promise<boolean> {
    const exchange = this.#exchange;
    if (!exchange) return false;
    const filled = await Promise.all(
      this.#hosts.map((host, replica) => host.exportGradient(this.#model, exchange, replica)),
    );
    if (!filled.includes(true)) return false;
    await Promise.all(this.#hosts.map((host, replica) => host.sumGradients(exchange, replica)));
    return true;
  }

  #host(replica: number): EngineHost {
    return this.#hosts[replica] as EngineHost;
  }

  async #sample(
    weights: WeightsId,
    requests: readonly SampleRequest[],
    onToken?: TokenListener,
  ): Promise<SampleResult[]> {
    checkSampleRequests(this.#limits, requests);
    return this.#sampling.sample(weights, requests, onToken);
  }

  async #forward(
    weights: WeightsId,
    sequences: readonly TrainingSequence[],
    options: ForwardOptions,
  ): Promise<SequenceLogProbs> {
    checkTrainingSequences(this.#limits, sequences);
    checkTopLogProbs(options);
    const results = new Array<RowResult>(sequences.length);
    for (const round of this.#rounds(sequences)) {
      await Promise.all(
        round.map(async (rows, replica) => {
          await this.#forwardRows(replica, weights, sequences, rows, options, results);
        }),
      );
    }
    return gather(results);
  }

  async #forwardRows(
    replica: number,
    weights: WeightsId,
    sequences: readonly TrainingSequence[],
    rows: readonly number[],
    options: ForwardOptions,
    results: RowResult[],
  ): Promise<void> {
    const part = rows.map((row) => sequences[row] as TrainingSequence);
    try {
      scatter(await this.#host(replica).forward(this.#model, weights, part, options), rows, results);
    } catch (error) {
      const halves = isOutOfMemory(error) ? halve(part.map(sequenceTokens)) : null;
      if (!halves) throw error;
      this.#limitTokens(Math.max(...halves.map((half) => totalTokens(half.map((i) => part[i] as TrainingSequence)))));
      for (const half of halves)
        await this.#forwardRows(
          replica,
          weights,
          sequences,
          half.map((i) => rows[i] as number),
          options,
          results,
        );
    }
  }

  /** Micro-batches by replica: round r gives replica w the rows `rounds[r][w]`. All replicas of a round run together. */
  #rounds(sequences: readonly TrainingSequence[]): number[][][] {
    const lengths = sequences.map(sequenceTokens);
    const shares = balance(lengths, this.#hosts.length).map((rows) => cut(rows, lengths, this.#maxTokens));
    const count = Math.max(0, ...shares.map((share) => share.length));
    return Array.from({ length: count }, (_, round) => shares.map((share) => share[round] ?? []));
  }
}

/** The value of a call that was waited for together with others. */
async function settled<T>(outcome: PromiseSettledResult<T>): Promise<T> {
  if (outcome.status === "rejected") throw outcome.reason;
  return outcome.value;
}

interface RowResult {
  readonly logProbs: Float64Array;
  readonly entropy: Float64Array;
  readonly atOne?: readonly LogProbsAtOne[];
}

function scatter(pass: HostLogProbs, rows: readonly number[], results: RowResult[]): void {
  rows.forEach((row, i) => {
    const [start, end] = [pass.offsets[i], pass.offsets[i + 1]];
    results[row] = {
      logProbs: pass.logProbs.slice(start, end),
      entropy: pass.entropy.slice(start, end),
      ...(pass.atOne && { atOne: pass.atOne.slice(start, end) }),
    };
  });
}

function gather(results: readonly RowResult[]): SequenceLogProbs {
  const atOne = results.flatMap((result) => (result.atOne ? [result.atOne] : []));
  return {
    logProbs: ragged(results.map((result) => result.logProbs)),
    entropy: ragged(results.map((result) => result.entropy)),
    ...(atOne.length > 0 && { atOne }),
  };
}
