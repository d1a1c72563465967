import { inputError, LaconicError, type LanguageModel, type Sampler, type Tokenizer } from "@laconic/core";

/** Wraps a sampler as a language model for text and token prompts, one request at a time. */
export function tabularPolicy(sampler: Sampler, tokenizer: Tokenizer, id = "tabular"): LanguageModel {
  return {
    id,
    async complete({ prompt, sampling, random }) {
      if (prompt.kind === "messages") throw inputError("this policy has no chat template");
      const { stop: _, ...settings } = sampling;
      const promptTokens = prompt.kind === "text" ? tokenizer.encode(prompt.text) : prompt.tokens;
      const request = { promptTokens, sampling: settings, stopTokens: [tokenizer.endToken], random };
      const [result] = await sampler.sample([request]);
      if (!result) throw new LaconicError("engine_failed", "the sampler answered no request");
      const { tokens, logProbs, finishReason } = result;
      if (finishReason === "aborted") throw new LaconicError("aborted", "the request was aborted");
      return {
        text: tokenizer.decode(tokens),
        finishReason,
        usage: { promptTokens: promptTokens.length, completionTokens: tokens.length, counted: "model" },
        model: { id, weightVersion: sampler.weightVersion },
        trace: { promptTokens, tokens, logProbs },
      };
    },
  };
}
