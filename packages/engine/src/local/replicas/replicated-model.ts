import {
  ragged,
  type EngineCapabilities,
  type ForwardOptions,
  type LogProbsAtOne,
  type OptimizerResult,
  type OptimizerSettings,
  type SequenceLogProbs,
  type TokenGradient,
  type TrainingSequence,
} from "@laconic/core";
import { checkOptimizerSettings, checkTokenGradient } from "@laconic/core/backends";
import { CallOrder } from "./call-order.ts";
import type { EngineHost, ModelMethod } from "../host/protocol.ts";
import type { HostOutputs, ModelFacts, WeightsId } from "../hosted-model/model-types.ts";
import type { HostedModel } from "../hosted-model/hosted-model.ts";
import { createExchange, type GradientExchange } from "./gradient-exchange.ts";
import { microBatches } from "../hosted-model/micro-batches.ts";

export interface LocalModelSettings {
  readonly maxTokensPerMicroBatch: number;
  readonly sharePrefixes: boolean;
  readonly dtype: EngineCapabilities["dtype"];
  readonly onWarning?: (message: string) => void;
}

/** Model with bit-identical replicas. Sequences must be checked before. */
export class ReplicatedModel {
  readonly number: number;
  /** Also identifies the engine. */
  readonly hosts: readonly EngineHost[];
  protected readonly facts: ModelFacts;
  protected readonly order: CallOrder = new CallOrder();
  readonly #onWarning: ((message: string) => void) | undefined;
  readonly #exchange: GradientExchange | null;
  readonly #sharePrefixes: boolean;
  #weightVersion: number;
  /** Reduced when memory runs out. */
  #maxTokens: number;
  #warned = false;
  #sequences = 0;

  constructor(hosts: readonly EngineHost[], number: number, facts: ModelFacts, settings: LocalModelSettings) {
    this.hosts = hosts;
    this.number = number;
    this.facts = facts;
    this.#weightVersion = facts.weightVersion;
    this.#maxTokens = settings.maxTokensPerMicroBatch;
    this.#sharePrefixes = settings.sharePrefixes;
    this.#onWarning = settings.onWarning;
    this.#exchange =
      hosts.length === 1 ? null : createExchange(facts.trainableParameters, hosts.length, settings.dtype);
  }

  get id(): string {
    return `local-${this.number}`;
  }

  get parameters(): number {
    return this.facts.parameters;
  }

  get trainableParameters(): number {
    return this.facts.trainableParameters;
  }

  get contextLength(): number {
    return this.limits.maxPositions;
  }

  get weightVersion(): number {
    return this.#weightVersion;
  }

  protected get limits(): ModelFacts["limits"] {
    return this.facts.limits;
  }

  /** Forward pass; the caller holds `order`. */
  protected async outputs(
    weights: WeightsId,
    sequences: readonly TrainingSequence[],
    options: ForwardOptions = {},
  ): Promise<SequenceLogProbs> {
    const results = new Results(sequences.length);
    for (const round of this.#rounds(sequences))
      await this.#pass(round, results, (host, rows) =>
        host.call(this.number, "forward", weights, chosen(sequences, rows), options),
      );
    return results.gathered();
  }

  /** The caller holds `order`. A failure discards the gradient, so that no step uses half a batch. */
  protected async train(
    sequences: readonly TrainingSequence[],
    tokenGradient: TokenGradient,
  ): Promise<SequenceLogProbs> {
    try {
      const results = new Results(sequences.length);
      for (const round of this.#rounds(sequences)) await this.#trainRound(sequences, round, tokenGradient, results);
      this.#sequences += sequences.length;
      return results.gathered();
    } catch (error) {
      this.#sequences = 0;
      await Promise.allSettled(this.hosts.map((host) => host.call(this.number, "discardGradient")));
      throw error;
    }
  }

  optimStep(settings: OptimizerSettings): Promise<OptimizerResult> {
    return this.order.alone(async () => {
      checkOptimizerSettings(settings);
      const exchange = (await this.#exchangeGradients()) ? this.#exchange : null;
      const result = await this.onEveryHost("optimStep", settings, exchange);
      this.#sequences = 0;
      this.#weightVersion = result.step;
      return result;
    });
  }

  save(folder: string): Promise<readonly string[]> {
    return this.order.alone(() => this.#host(0).call(this.number, "save", folder));
  }

  load(folder: string): Promise<void> {
    return this.order.alone(async () => {
      const { weightVersion } = await this.onEveryHost("load", folder);
      this.#sequences = 0;
      this.#weightVersion = weightVersion;
    });
  }

  dispose(): Promise<void> {
    return this.order.alone(async () => {
      await Promise.all(this.hosts.map((host) => host.disposeModel(this.number)));
    });
  }

  /** @returns the first result, after all have finished */
  protected async onEveryHost<M extends ModelMethod>(
    method: M,
    ...args: Parameters<HostedModel[M]>
  ): Promise<Awaited<ReturnType<HostedModel[M]>>> {
    const results = await Promise.all(this.hosts.map((host) => host.call(this.number, method, ...args)));
    return results[0] as Awaited<ReturnType<HostedModel[M]>>;
  }

  async #trainRound(
    sequences: readonly TrainingSequence[],
    round: readonly (readonly number[])[],
    tokenGradient: TokenGradient,
    results: Results,
  ): Promise<void> {
    const passes = await this.#pass(round, results, (host, rows) => {
      const numbers = rows.map((row) => this.#sequences + row);
      return host.call(this.number, "forwardForGradient", chosen(sequences, rows), numbers);
    });
    const rows = round.flat();
    const logProbs = ragged(rows.map((row) => results.logProbsOf(row)));
    const gradient = tokenGradient(logProbs, rows);
    checkTokenGradient(gradient, logProbs, rows);
    let end = 0;
    const fitted = await Promise.all(
      passes.map((pass, replica) => {
        const start = end;
        end += pass.offsets.at(-1)!;
        return this.#host(replica).call(this.number, "backward", gradient.slice(start, end));
      }),
    );
    for (const tokens of fitted) if (tokens !== null) this.#limitTokens(tokens);
  }

  /** Fails after all replicas have ended. */
  async #pass(
    round: readonly (readonly number[])[],
    results: Results,
    call: (host: EngineHost, rows: readonly number[]) => Promise<HostOutputs>,
  ): Promise<HostOutputs[]> {
    const outcomes = await Promise.allSettled(round.map((rows, replica) => call(this.#host(replica), rows)));
    return outcomes.map((outcome, replica) => {
      if (outcome.status === "rejected") throw outcome.reason;
      const { value } = outcome;
      results.take(value, round[replica]!);
      if (value.fitted !== undefined) this.#limitTokens(value.fitted);
      return value;
    });
  }

  #limitTokens(tokens: number): void {
    if (tokens >= this.#maxTokens) return;
    if (!this.#warned)
      this.#onWarning?.(
        `${this.id}: the device ran out of memory; micro-batches shrink to ${tokens} tokens and may shrink further. Results stay the same up to rounding; set maxTokensPerMicroBatch to ${tokens} to avoid failed passes`,
      );
    this.#warned = true;
    this.#maxTokens = tokens;
  }

  /** False without anything to exchange. */
  async #exchangeGradients(): Promise<boolean> {
    const exchange = this.#exchange;
    if (!exchange) return false;
    const filled = await Promise.all(
      this.hosts.map((host, replica) => host.call(this.number, "exportGradient", exchange, replica)),
    );
    if (!filled.includes(true)) return false;
    await Promise.all(this.hosts.map((host, replica) => host.sumGradients(exchange, replica)));
    return true;
  }

  #host(replica: number): EngineHost {
    return this.hosts[replica]!;
  }

  /** Replica w gets the rows `rounds[r][w]` in round r. */
  #rounds(sequences: readonly TrainingSequence[]): number[][][] {
    return microBatches(sequences, {
      replicas: this.hosts.length,
      maxRows: this.#maxTokens,
      shared: this.#sharePrefixes,
    });
  }
}

function chosen(sequences: readonly TrainingSequence[], rows: readonly number[]): TrainingSequence[] {
  return rows.map((row) => sequences[row]!);
}

interface RowResult {
  readonly logProbs: Float64Array;
  readonly entropy: Float64Array;
  readonly atOne?: readonly LogProbsAtOne[];
}

class Results {
  readonly #bySequence: RowResult[];
  #rows = 0;

  constructor(sequences: number) {
    this.#bySequence = new Array<RowResult>(sequences);
  }

  take({ outputs, entropy, offsets, atOne, rows }: HostOutputs, sequences: readonly number[]): void {
    this.#rows += rows;
    sequences.forEach((sequence, i) => {
      const [start, end] = [offsets[i], offsets[i + 1]];
      this.#bySequence[sequence] = {
        logProbs: outputs.slice(start, end),
        entropy: entropy.slice(start, end),
        ...(atOne && { atOne: atOne.slice(start, end) }),
      };
    });
  }

  logProbsOf(sequence: number): Float64Array {
    return this.#bySequence[sequence]!.logProbs;
  }

  gathered(): SequenceLogProbs {
    const atOne = this.#bySequence.flatMap((result) => (result.atOne ? [result.atOne] : []));
    return {
      logProbs: ragged(this.#bySequence.map((result) => result.logProbs)),
      entropy: ragged(this.#bySequence.map((result) => result.entropy)),
      rowsPassed: this.#rows,
      ...(atOne.length > 0 && { atOne }),
    };
  }
}
