import { LaconicError } from "@laconic/core";
import type { Turn } from "@laconic/topologies";
import type { BaselineOptions } from "../protocols/baseline.ts";

/** @throws LaconicError `config_invalid` without the tokens of a team */
export function tokensGiven(method: string, { tokens }: Pick<BaselineOptions, "tokens">): number {
  if (tokens !== undefined && tokens > 0) return Math.round(tokens);
  throw new LaconicError("config_invalid", `${method} spends the tokens of a team: it needs them as options.tokens`, {
    method,
  });
}

/** Prompt and completion. */
export function tokensOf(said: readonly Turn[]): number {
  return said.reduce((sum, { call }) => sum + call.promptTokens + call.writtenTokens, 0);
}
