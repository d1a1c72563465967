import { LaconicError, randomFromState, type LanguageModel, type Random } from "@laconic/core";
import { readRelayPrompt, type RelayPrompt } from "./prompts.ts";
import { relayTokenizer } from "./tokenizer.ts";

/** A language model that plays every relay agent by a rule; its tokens are counted as a policy's would be. */
export function scriptedAgent(id: string, reply: (prompt: RelayPrompt, random: Random) => string): LanguageModel {
  return {
    id,
    async complete({ prompt, sampling, random, signal }) {
      if (signal?.aborted) throw new LaconicError("aborted", "the request was aborted", {}, signal.reason);
      if (prompt.kind !== "tokens")
        throw new LaconicError("input_invalid", `${id} reads relay tokens, not a prompt of kind "${prompt.kind}"`);
      const tokens = relayTokenizer.encode(reply(readRelayPrompt(prompt.tokens), randomFromState(random)));
      const finished = tokens.length < sampling.maxTokens;
      const written = finished ? [...tokens, relayTokenizer.endToken] : tokens.slice(0, sampling.maxTokens);
      return {
        text: relayTokenizer.decode(written),
        finishReason: finished ? "stop" : "length",
        usage: { promptTokens: prompt.tokens.length, completionTokens: written.length, counted: "model" },
        model: { id, weightVersion: 0 },
      };
    },
  };
}
