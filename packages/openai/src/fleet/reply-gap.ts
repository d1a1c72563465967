import type { Generation, SamplingServer } from "./servers/sampling-server.ts";
import { samplingCuts } from "@laconic/core/backends";

/** Distance of a reply from the trainer's model. */
export interface ReplyGap {
  /** |server - trainer| log-prob of each token, in nats. */
  readonly gaps: readonly number[];
  /**
   * Log-likelihood ratio in nats of a mixture (half uniform over the vocabulary) to the model. Negative for correct
   * replies.
   */
  readonly noise: number;
}

/** The trainer's log-probs, at the sampling temperature and at 1. */
export interface OwnReply {
  readonly logProbs: ArrayLike<number>;
  readonly atOne: ArrayLike<number>;
}

/** Extra tolerance in tokens: bfloat16 or expert routing can move one unlikely token that far. */
const slackTokens = 20;
/**
 * With u uniform over the vocabulary, E_p[(1 + u / p) / 2] <= 1 at each token, also where p is truncated or greedy. By
 * Ville's inequality a correct sampler exceeds c nats with probability below e^-c, here 1e-6.
 */
const maxNoise = 14;
/** The same bound for a window of replies: 1e-13. */
const maxNoiseOfServer = 30;

export function measureReply(
  { logProbs }: { readonly logProbs: readonly number[] },
  ownReply: OwnReply,
  { sampling }: Pick<Generation, "sampling">,
  server: Pick<SamplingServer, "reportsUncut"> & { readonly reportsRaw: boolean; readonly vocabularySize: number },
): ReplyGap {
  const { reportsRaw, reportsUncut, vocabularySize } = server;
  const cuts = reportsUncut || reportsRaw ? [] : samplingCuts(sampling);
  // Truncation makes the remaining tokens more likely, by at most 1 / topP if only top-p applies.
  const maxAbove = cuts.every((name) => name === "topP")
    ? -Math.log(cuts.length === 0 ? 1 : (sampling.topP ?? 1))
    : Infinity;
  const expected = reportsRaw ? ownReply.atOne : ownReply.logProbs;
  let noise = 0;
  const gaps = logProbs.map((value, t) => {
    noise += Math.log((1 + Math.exp(-ownReply.logProbs[t]!) / vocabularySize) / 2);
    const apart = value - expected[t]!;
    return apart < 0 ? -apart : Math.max(0, apart - maxAbove);
  });
  return { gaps, noise };
}

/** Why a reply is rejected, as the end of a sentence; null if it is accepted. */
export function replyFault({ gaps, noise }: ReplyGap, tolerance: number): string | null {
  const total = gaps.reduce((sum, gap) => sum + gap, 0);
  if (!(total <= tolerance * (gaps.length + slackTokens)))
    return `log-probs of a reply differ from the trainer's by ${(total / gaps.length).toPrecision(3)} (mean of ${gaps.length} tokens, limit ${tolerance.toPrecision(3)})`;
  if (!(noise <= maxNoise + tolerance * gaps.length))
    return "tokens of a reply look random under the requested weights";
  return null;
}

const windowReplies = 100;
const maxThrown = 10;
const minTokens = 64;

interface Judged {
  readonly tokens: number;
  readonly capped: number;
  readonly noise: number;
  readonly thrown: boolean;
}

/** Last replies of one server, discarded ones included. */
export class GapWindow {
  readonly #replies: Judged[] = [];

  /** Mean gap per token, each at most `slackTokens` times the tolerance; null before the first reply. */
  get mean(): number | null {
    const tokens = this.#sum(({ tokens: count }) => count);
    return tokens === 0 ? null : this.#sum(({ capped }) => capped) / tokens;
  }

  add(gap: ReplyGap, tolerance: number, thrown: boolean): void {
    const { gaps, noise } = gap;
    const max = slackTokens * tolerance;
    // Written so that NaN counts in full.
    const capped = gaps.reduce((sum, value) => sum + (value <= max ? value : max), 0);
    this.#replies.push({ tokens: gaps.length, capped, noise, thrown });
    if (this.#replies.length > windowReplies) this.#replies.shift();
  }

  /** Reason for quarantine, as the end of a sentence; null without one. */
  fault(tolerance: number): string | null {
    const thrown = this.#sum((judged) => Number(judged.thrown));
    if (thrown >= maxThrown) return `${thrown} of its last ${this.#replies.length} replies were discarded`;
    // Accepted replies only: one bad reply says nothing about the others.
    const taken = (of: (reply: Judged) => number) => this.#sum((judged) => (judged.thrown ? 0 : of(judged)));
    const tokens = taken((judged) => judged.tokens);
    const mean = taken(({ capped }) => capped) / tokens;
    if (tokens >= minTokens && mean > tolerance)
      return `log-probs of its last ${this.#replies.length} replies differ from the trainer's by ${mean.toPrecision(3)} (mean of ${tokens} tokens, limit ${tolerance.toPrecision(3)})`;
    if (taken(({ noise }) => noise) > maxNoiseOfServer + tolerance * tokens)
      return `tokens of its last ${this.#replies.length} replies look random under the requested weights`;
    return null;
  }

  #sum(of: (reply: Judged) => number): number {
    return this.#replies.reduce((sum, reply) => sum + of(reply), 0);
  }
}
