import {
  LaconicError,
  ragged,
  raggedRow,
  type ForwardOptions,
  type Sampler,
  type SequenceLogProbs,
  type TrainingSequence,
} from "@laconic/core";

/** What the trainer's model says of one sequence. */
export interface OwnRow {
  readonly logProbs: Float64Array;
  readonly entropy: Float64Array;
  readonly entropyIsEstimate: boolean;
  /** At temperature 1. */
  readonly atOne: ArrayLike<number>;
}

interface Asked {
  readonly sequence: TrainingSequence;
  readonly resolve: (row: OwnRow) => void;
  readonly reject: (error: unknown) => void;
}

/** Sequences that are remembered: those of several steps. */
const maxRows = 1 << 14;

/**
 * Log-probs of replies under one version of the trainer's own weights. What is asked for while a pass runs, shares the next one; what
 * was computed for a check is handed out again, so that a learner does not pay for it twice.
 */
export class OwnLogProbs {
  readonly #sampler: Sampler;
  readonly #version: number;
  readonly #atOne: () => boolean;
  readonly #rows = new Map<string, OwnRow>();
  #queue: Asked[] = [];
  #running = false;

  /** @param atOne - whether a server reports log-probs at temperature 1, whatever it samples at */
  constructor(sampler: Sampler, version: number, atOne: () => boolean) {
    this.#sampler = sampler;
    this.#version = version;
    this.#atOne = atOne;
  }

  /** @throws LaconicError `engine_failed` when the weights have moved on */
  of(sequence: TrainingSequence): Promise<OwnRow> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ sequence, resolve, reject });
      if (!this.#running) void this.#run();
    });
  }

  /** For whoever trains on this sequence. */
  remember(sequence: TrainingSequence, { logProbs, entropy, ...row }: OwnRow): void {
    const end = sequence.completionTokens.length;
    this.#rows.set(keyOf(sequence), { ...row, logProbs: logProbs.slice(0, end), entropy: entropy.slice(0, end) });
    const [oldest] = this.#rows.keys();
    if (this.#rows.size > maxRows && oldest !== undefined) this.#rows.delete(oldest);
  }

  /** As the model's own, without another pass over what was checked. */
  async forward(sequences: readonly TrainingSequence[], options?: ForwardOptions): Promise<SequenceLogProbs> {
    if (options?.topLogProbs !== undefined) return this.#sampler.forward(sequences, options);
    const known = sequences.map((sequence) => this.#rows.get(keyOf(sequence)));
    const missing = sequences.filter((_, i) => !known[i]);
    if (missing.length === sequences.length) return this.#sampler.forward(sequences, options);
    const passed = missing.length > 0 ? await this.#sampler.forward(missing, options) : null;
    let next = 0;
    const rows = known.map((row) => {
      if (row || !passed) return row as OwnRow;
      const at = next++;
      return { logProbs: raggedRow(passed.logProbs, at), entropy: raggedRow(passed.entropy, at) };
    });
    const estimated = passed?.entropyIsEstimate ?? known.some((row) => row?.entropyIsEstimate);
    return {
      logProbs: ragged(rows.map(({ logProbs }) => logProbs)),
      entropy: ragged(rows.map(({ entropy }) => entropy)),
      ...(estimated && { entropyIsEstimate: true }),
    };
  }

  async #run(): Promise<void> {
    this.#running = true;
    // Replies that arrive together are judged together.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const asked = this.#queue;
      this.#queue = [];
      try {
        this.#expectVersion();
        const {
          logProbs,
          entropy,
          entropyIsEstimate = false,
          atOne,
        } = await this.#sampler.forward(
          asked.map(({ sequence }) => sequence),
          this.#atOne() && asked.some(({ sequence }) => (sequence.temperature ?? 1) !== 1) ? { topLogProbs: 0 } : {},
        );
        this.#expectVersion();
        asked.forEach(({ resolve }, i) => {
          const own = raggedRow(logProbs, i).slice();
          const ones = atOne?.[i]?.map(({ logProb }) => logProb) ?? own;
          resolve({ logProbs: own, entropy: raggedRow(entropy, i).slice(), entropyIsEstimate, atOne: ones });
        });
      } catch (error) {
        for (const { reject } of asked) reject(error);
      }
    }
    this.#running = false;
  }

  #expectVersion(): void {
    if (this.#sampler.weightVersion !== this.#version)
      throw new LaconicError(
        "engine_failed",
        `the weights moved on from version ${this.#version} while it was sampled; sample from a snapshot`,
      );
  }
}

function keyOf({ promptTokens, completionTokens, temperature = 1 }: TrainingSequence): string {
  return `${temperature};${promptTokens.join()};${completionTokens.join()}`;
}
