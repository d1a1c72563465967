import type { TokenListener } from "@laconic/core";
import type { Reply } from "./reply.ts";

/** Hears the tokens of one step, as numbers that cross a thread boundary cheaply. */
export type DrawnListener = (numbers: Float64Array) => void;

/**
 * The newest token of each reply: place, token, log-prob, and how many likeliest tokens follow (-1 where log-probs at
 * temperature 1 were not asked for); then the log-prob at temperature 1, and a token and its log-prob for each of them.
 */
export function encodeDrawn(replies: readonly Reply[]): Float64Array {
  const numbers: number[] = [];
  for (const { place, tokens, logProbs, atOne, request } of replies) {
    const at = tokens.length - 1;
    if (at < 0) continue;
    const asked = request.topLogProbs === undefined ? undefined : atOne[at];
    numbers.push(place, tokens[at] as number, logProbs[at] as number, asked?.top.length ?? -1);
    if (asked) numbers.push(asked.logProb, ...asked.top.flatMap(({ token, logProb }) => [token, logProb]));
  }
  return Float64Array.from(numbers);
}

/** Tells a listener what `encodeDrawn` wrote. */
export function tellDrawn(numbers: Float64Array, listener: TokenListener): void {
  for (let at = 0; at < numbers.length;) {
    const [place, token, logProb, count] = numbers.subarray(at, at + 4) as unknown as [number, number, number, number];
    at += 4;
    if (count < 0) {
      listener(place, { token, logProb });
      continue;
    }
    const top = Array.from({ length: count }, (_, i) => ({
      token: numbers[at + 1 + 2 * i] as number,
      logProb: numbers[at + 2 + 2 * i] as number,
    }));
    listener(place, { token, logProb, atOne: { logProb: numbers[at] as number, top } });
    at += 1 + 2 * count;
  }
}
