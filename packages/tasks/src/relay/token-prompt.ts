import type { Prompt } from "@laconic/core";
import { spellRelayTokens } from "./tokenizer.ts";

/** Tokens as a prompt for a model. */
export function tokensPrompt(tokens: readonly number[]): Prompt {
  return { kind: "tokens", tokens };
}

/** A prompt of tokens as transcripts show it. */
export function renderTokens(prompt: Prompt): string {
  return prompt.kind === "tokens" ? spellRelayTokens(prompt.tokens) : "";
}
