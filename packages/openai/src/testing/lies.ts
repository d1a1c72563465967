import { randomFromSeed, raggedRow, type Sampler, type SampleResult } from "@laconic/core";
import type { Lie, ServerFaults } from "./faults.ts";

/** All kinds. */
export const lies: readonly Lie[] = ["wrong-ids", "permuted", "wrong-log-probs", "truncated", "swapped", "noise"];

export interface LieContext {
  readonly sampler: Sampler;
  readonly vocabularySize: number;
  readonly maxTokens: number;
  readonly temperature: number;
  readonly seed: number;
  readonly stopTokens: readonly number[];
  /** Reply to another prompt; null before the first. */
  readonly other: SampleResult | null;
}

export async function lieOf(how: Lie, reply: SampleResult, context: LieContext): Promise<SampleResult> {
  const { sampler, vocabularySize, maxTokens, temperature, seed, stopTokens, other } = context;
  const { promptTokens, tokens, logProbs } = reply;
  const stops = (token: number): boolean => stopTokens.includes(token);
  const mapped = (to: (token: number) => number): SampleResult => ({
    ...reply,
    tokens: tokens.map((token) => (stops(token) || stops(to(token)) ? token : to(token))),
  });
  switch (how) {
    case "wrong-ids":
      return mapped((token) => (token + 1) % vocabularySize);
    case "permuted":
      return mapped((token) => vocabularySize - 1 - token);
    case "wrong-log-probs":
      return { ...reply, logProbs: logProbs.map((value) => value - 1) };
    case "truncated": {
      const kept = tokens.slice(0, Math.ceil(tokens.length / 2));
      const forged = [...kept.slice(0, -1), ...(stopTokens.length > 0 ? stopTokens.slice(0, 1) : kept.slice(-1))];
      return { ...reply, tokens: forged, logProbs: logProbs.slice(0, forged.length), finishReason: "stop" };
    }
    case "swapped":
      return other ? { ...other, promptTokens } : reply;
    case "noise": {
      const random = randomFromSeed(seed);
      const free = Array.from({ length: vocabularySize }, (_, token) => token).filter((token) => !stops(token));
      const completionTokens = Array.from({ length: maxTokens }, () => free[random.integer(free.length)] as number);
      const own = await sampler.forward([{ promptTokens, completionTokens, temperature: temperature || 1 }]);
      const honest = [...raggedRow(own.logProbs, 0)];
      return { promptTokens, tokens: completionTokens, logProbs: honest, finishReason: "length" };
    }
  }
}

/**
 * Server with wrong replies but correct answers to checks.
 * @param when - selects replies by their number, from 0 at this call
 */
export function lying(
  how: Lie | "stale",
  vocabularySize: number,
  when: (nth: number, body: unknown) => boolean = () => true,
): ServerFaults {
  let asked = 0;
  return (path, body) => {
    if (!isReplyRequest(path, body) || !when(asked++, body)) return null;
    return how === "stale" ? { kind: "stale" } : { kind: "lies", how, vocabularySize };
  };
}

/** Whether a request asks for a reply, not for weights or for log-probs used in checks. */
export function isReplyRequest(path: string, body: unknown): boolean {
  const { prompt_logprobs, logprob_start_len } = body as { prompt_logprobs?: number; logprob_start_len?: number };
  return /completions|generate/u.test(path) && prompt_logprobs === undefined && logprob_start_len !== 0;
}
