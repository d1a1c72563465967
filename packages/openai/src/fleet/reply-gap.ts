import type { Generation, SamplingServer } from "./servers/sampling-server.ts";
import { samplingCuts } from "@laconic/core/backends";

/** How far one reply is from the trainer's own model under the same weights. */
export interface ReplyGap {
  /** |server's - trainer's| log-prob of each token, in nats. */
  readonly gaps: readonly number[];
  /** How much likelier the tokens are where half of them are drawn evenly from the vocabulary, in nats: below 0 where nothing is wrong. */
  readonly noise: number;
}

/** The trainer's log-probs of a reply: of what was sampled, and at temperature 1. */
export interface OwnReply {
  readonly logProbs: ArrayLike<number>;
  readonly atOne: ArrayLike<number>;
}

/**
 * Tokens' worth of tolerance that a reply has beside its own: rounding of one unlikely token, as by bfloat16 or a router of experts, is
 * that much larger than the mean.
 */
const slackTokens = 20;
/**
 * With u uniform over the vocabulary, E_p[(1 + u / p) / 2] <= 1 at each token, also where p is cut to its likeliest tokens or greedy: by
 * Ville's inequality a sampler of p gives a reply of more than c nats with a chance below e^-c, here one in a million.
 */
const maxNoise = 14;
/** The same for all replies of a window, where a server is at stake: one in 10^13. */
const maxNoiseOfServer = 30;

/** Compares what a server reported with what the trainer's model says of the same tokens. */
export function measureReply(
  { logProbs }: { readonly logProbs: readonly number[] },
  own: OwnReply,
  { sampling }: Pick<Generation, "sampling">,
  server: Pick<SamplingServer, "reportsUncut"> & { readonly reportsRaw: boolean; readonly vocabularySize: number },
): ReplyGap {
  const { reportsRaw, reportsUncut, vocabularySize } = server;
  const cuts = reportsUncut || reportsRaw ? [] : samplingCuts(sampling);
  // Of what is left, tokens are likelier than of all: by at most 1 / topP where that alone cuts.
  const maxAbove = cuts.every((name) => name === "topP")
    ? -Math.log(cuts.length === 0 ? 1 : (sampling.topP ?? 1))
    : Infinity;
  const expected = reportsRaw ? own.atOne : own.logProbs;
  let noise = 0;
  const gaps = logProbs.map((value, t) => {
    noise += Math.log((1 + Math.exp(-(own.logProbs[t] as number)) / vocabularySize) / 2);
    const apart = value - (expected[t] as number);
    return apart < 0 ? -apart : Math.max(0, apart - maxAbove);
  });
  return { gaps, noise };
}

/** Why a reply is not taken, for the end of a sentence; null when it is. */
export function replyFault({ gaps, noise }: ReplyGap, tolerance: number): string | null {
  const total = gaps.reduce((sum, gap) => sum + gap, 0);
  if (!(total <= tolerance * (gaps.length + slackTokens)))
    return `log-probs of a reply are ${(total / gaps.length).toPrecision(3)} from the trainer's (mean of ${gaps.length} tokens, ${tolerance.toPrecision(3)} is allowed)`;
  if (!(noise <= maxNoise + tolerance * gaps.length))
    return "tokens of a reply are as good as random under the weights that it was asked of";
  return null;
}

/** Replies that a server is judged by. */
const windowReplies = 100;
/** Of them, replies that may be thrown away. */
const maxThrown = 10;
/** Tokens before their mean says something. */
const minTokens = 64;

interface Judged {
  readonly tokens: number;
  readonly capped: number;
  readonly noise: number;
  readonly thrown: boolean;
}

/** The last replies of one server, those that were thrown away among them. */
export class GapWindow {
  readonly #replies: Judged[] = [];

  /** Mean gap of a token, where one counts `slackTokens` times the tolerance at most; null before the first reply. */
  get mean(): number | null {
    const tokens = this.#sum(({ tokens: own }) => own);
    return tokens === 0 ? null : this.#sum(({ capped }) => capped) / tokens;
  }

  add(gap: ReplyGap, tolerance: number, thrown: boolean): void {
    const { gaps, noise } = gap;
    const max = slackTokens * tolerance;
    // Written so that what is no number counts whole.
    const capped = gaps.reduce((sum, each) => sum + (each <= max ? each : max), 0);
    this.#replies.push({ tokens: gaps.length, capped, noise, thrown });
    if (this.#replies.length > windowReplies) this.#replies.shift();
  }

  /** Why the server is not asked any more, for the end of a sentence; null while it is. */
  fault(tolerance: number): string | null {
    const thrown = this.#sum((each) => Number(each.thrown));
    if (thrown >= maxThrown) return `${thrown} of its last ${this.#replies.length} replies were thrown away`;
    // Of those that were taken: one bad reply is thrown away, and says nothing of the others.
    const taken = (of: (reply: Judged) => number): number => this.#sum((each) => (each.thrown ? 0 : of(each)));
    const tokens = taken((each) => each.tokens);
    const mean = taken(({ capped }) => capped) / tokens;
    if (tokens >= minTokens && mean > tolerance)
      return `log-probs of its last ${this.#replies.length} replies are ${mean.toPrecision(3)} from the trainer's (mean of ${tokens} tokens, ${tolerance.toPrecision(3)} is allowed)`;
    if (taken(({ noise }) => noise) > maxNoiseOfServer + tolerance * tokens)
      return `tokens of its last ${this.#replies.length} replies are as good as random under the weights that they were asked of`;
    return null;
  }

  #sum(of: (reply: Judged) => number): number {
    return this.#replies.reduce((sum, reply) => sum + of(reply), 0);
  }
}
