import { LaconicError, raggedRow, type Ragged, type SampleResult, type TrainingSequence } from "@laconic/core";

/** Max remembered replies per weight version. */
const max = 8;
/** Max mean log-prob difference of a reply in nats. */
const tolerance = 0.5;

/**
 * Compares sampler log-probs with the next forward pass. It detects samplers with other weights before their replies
 * are trained on.
 */
export class SampledChecksum {
  #version = -1;
  readonly #sampled = new Map<string, readonly number[]>();

  /** Only for replies at temperature 1 from the whole vocabulary. */
  remember(version: number, replies: readonly SampleResult[]): void {
    if (version !== this.#version) this.#sampled.clear();
    this.#version = version;
    for (const { promptTokens, tokens, logProbs } of replies)
      if (tokens.length > 0 && this.#sampled.size < max) this.#sampled.set(keyOf(promptTokens, tokens), logProbs);
  }

  /** Error of a sampler with other weights, or null. */
  check(version: number, sequences: readonly TrainingSequence[], logProbs: Ragged): LaconicError | null {
    if (version !== this.#version || this.#sampled.size === 0) return null;
    for (const [row, { promptTokens, completionTokens }] of sequences.entries()) {
      const sampled = this.#sampled.get(keyOf(promptTokens, completionTokens));
      if (!sampled) continue;
      const own = raggedRow(logProbs, row);
      const apart = sampled.reduce((sum, value, t) => sum + Math.abs(value - own[t]!), 0) / sampled.length;
      if (apart <= tolerance) continue;
      return new LaconicError(
        "engine_failed",
        `the server sampled with other weights than it trains: log-probs of a reply differ by ${apart.toFixed(3)} nats on average`,
        { sequence: row, difference: apart },
      );
    }
    return null;
  }
}

function keyOf(promptTokens: readonly number[], tokens: readonly number[]): string {
  return `${promptTokens.join()};${tokens.join()}`;
}
