import type { DrawnToken, TokenTrace, Tokenizer } from "@laconic/core";

/** Which distribution log-probs are of: the model's own, or the one at the sampling temperature. vLLM's names. */
export type LogProbMode = "raw_logprobs" | "processed_logprobs";

/** A token as a reply lists it. */
export interface ListedToken {
  readonly id: number;
  readonly text: string;
  readonly logProb: number;
  /** The likeliest tokens of its place, in descending order. */
  readonly top: readonly { readonly text: string; readonly logProb: number }[];
}

export function listToken(tokenizer: Tokenizer, { token, logProb, atOne }: DrawnToken, mode: LogProbMode): ListedToken {
  const raw = mode === "raw_logprobs" ? atOne : undefined;
  return {
    id: token,
    text: tokenizer.decode([token]),
    logProb: raw?.logProb ?? logProb,
    top: (raw?.top ?? []).map((each) => ({ text: tokenizer.decode([each.token]), logProb: each.logProb })),
  };
}

export function listTrace(tokenizer: Tokenizer, trace: TokenTrace, mode: LogProbMode): ListedToken[] {
  return trace.tokens.map((token, i) => {
    const atOne = trace.atOne?.[i];
    return listToken(tokenizer, { token, logProb: trace.logProbs[i] as number, ...(atOne && { atOne }) }, mode);
  });
}
