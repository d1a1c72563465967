import {
  LaconicError,
  ragged,
  raggedRow,
  type ForwardOptions,
  type Sampler,
  type SequenceLogProbs,
  type TrainingSequence,
} from "@laconic/core";

export interface OwnRow {
  readonly logProbs: Float64Array;
  readonly entropy: Float64Array;
  readonly entropyIsEstimate: boolean;
  readonly atOne: ArrayLike<number>;
}

interface Queued {
  readonly sequence: TrainingSequence;
  readonly resolve: (row: OwnRow) => void;
  readonly reject: (error: unknown) => void;
}

/** Enough for several steps. */
const maxRows = 1 << 14;

/**
 * Computes log-probs with one version of the trainer's weights. Requests that arrive during a pass share the next one.
 * The learner reuses checked rows.
 */
export class OwnLogProbs {
  readonly #sampler: Sampler;
  readonly #version: number;
  readonly #needsAtOne: () => boolean;
  readonly #rows = new Map<string, OwnRow>();
  #queue: Queued[] = [];
  #running = false;

  /** @param needsAtOne - a server reports log-probs at temperature 1 */
  constructor(sampler: Sampler, version: number, needsAtOne: () => boolean) {
    this.#sampler = sampler;
    this.#version = version;
    this.#needsAtOne = needsAtOne;
  }

  /** @throws LaconicError `engine_failed` if the weights have changed */
  of(sequence: TrainingSequence): Promise<OwnRow> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ sequence, resolve, reject });
      if (!this.#running) void this.#run();
    });
  }

  remember(sequence: TrainingSequence, { logProbs, entropy, ...row }: OwnRow): void {
    const end = sequence.completionTokens.length;
    this.#rows.set(keyOf(sequence), { ...row, logProbs: logProbs.slice(0, end), entropy: entropy.slice(0, end) });
    const [oldest] = this.#rows.keys();
    if (this.#rows.size > maxRows && oldest !== undefined) this.#rows.delete(oldest);
  }

  /** Cached sequences need no pass. */
  async forward(sequences: readonly TrainingSequence[], options?: ForwardOptions): Promise<SequenceLogProbs> {
    const cached = sequences.map((sequence) => this.#rows.get(keyOf(sequence)));
    const missing = sequences.filter((_, i) => !cached[i]);
    if (options?.topLogProbs !== undefined || missing.length === sequences.length)
      return this.#sampler.forward(sequences, options);
    const passed = missing.length > 0 ? await this.#sampler.forward(missing, options) : null;
    let next = 0;
    const rows = cached.map((row) => {
      if (row || !passed) return row!;
      const index = next++;
      return { logProbs: raggedRow(passed.logProbs, index), entropy: raggedRow(passed.entropy, index) };
    });
    const isEstimate = passed?.entropyIsEstimate ?? cached.some((row) => row?.entropyIsEstimate);
    return {
      logProbs: ragged(rows.map(({ logProbs }) => logProbs)),
      entropy: ragged(rows.map(({ entropy }) => entropy)),
      ...(isEstimate && { entropyIsEstimate: true }),
    };
  }

  async #run(): Promise<void> {
    this.#running = true;
    // Replies that arrive together share a pass.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const queued = this.#queue;
      this.#queue = [];
      try {
        this.#checkVersion();
        const sequences = queued.map(({ sequence }) => sequence);
        const isWarm = sequences.some(({ temperature = 1 }) => temperature !== 1);
        const options = this.#needsAtOne() && isWarm ? { topLogProbs: 0 } : {};
        const { logProbs, entropy, entropyIsEstimate = false, atOne } = await this.#sampler.forward(sequences, options);
        this.#checkVersion();
        queued.forEach(({ resolve }, i) => {
          const row = raggedRow(logProbs, i).slice();
          const ones = atOne?.[i]?.map(({ logProb }) => logProb) ?? row;
          resolve({ logProbs: row, entropy: raggedRow(entropy, i).slice(), entropyIsEstimate, atOne: ones });
        });
      } catch (error) {
        for (const { reject } of queued) reject(error);
      }
    }
    this.#running = false;
  }

  #checkVersion(): void {
    if (this.#sampler.weightVersion !== this.#version)
      throw new LaconicError(
        "engine_failed",
        `the weights changed while version ${this.#version} was sampled; sample from a snapshot`,
      );
  }
}

function keyOf({ promptTokens, completionTokens, temperature = 1 }: TrainingSequence): string {
  let [low, high] = [0, 0];
  for (let i = 0; i < promptTokens.length; i++) {
    low = Math.imul(low ^ promptTokens[i]!, 0x01000193);
    high = Math.imul(high + promptTokens[i]!, 0x85ebca6b);
  }
  return `${temperature};${promptTokens.length};${low};${high};${completionTokens.join()}`;
}
