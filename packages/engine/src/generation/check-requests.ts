import { LaconicError, type SampleRequest } from "@laconic/core";
import type { ModelConfig } from "../transformer/model-config.ts";

/** @throws LaconicError `input_invalid` naming the request and what is wrong with it. */
export function checkRequests(config: ModelConfig, requests: readonly SampleRequest[]): void {
  requests.forEach((request, index) => {
    const { promptTokens, sampling } = request;
    const fail = (reason: string): LaconicError =>
      new LaconicError("input_invalid", `sample request ${index}: ${reason}`, { request: index });
    if (promptTokens.length === 0) throw fail("the prompt is empty");
    if (promptTokens.length >= config.maxPositions)
      throw fail(`the prompt has ${promptTokens.length} tokens, the model holds ${config.maxPositions}`);
    checkTokens(config, promptTokens, `sample request ${index}: prompt`);
    if (!(sampling.temperature >= 0 && Number.isFinite(sampling.temperature))) throw fail("temperature must be >= 0");
    if (!(Number.isInteger(sampling.maxTokens) && sampling.maxTokens > 0))
      throw fail("maxTokens must be a whole number > 0");
    const { topP = 1, topK, minP = 0 } = sampling;
    if (!(topP > 0 && topP <= 1)) throw fail("topP must be in (0, 1]");
    if (topK !== undefined && !(Number.isInteger(topK) && topK > 0)) throw fail("topK must be a whole number > 0");
    if (!(minP >= 0 && minP <= 1)) throw fail("minP must be in [0, 1]");
  });
}

/** @throws LaconicError `input_invalid` naming the place and position of a token outside the vocabulary. */
export function checkTokens(config: ModelConfig, tokens: readonly number[], place: string): void {
  const position = tokens.findIndex(
    (token) => !(Number.isInteger(token) && token >= 0 && token < config.vocabularySize),
  );
  if (position >= 0)
    throw new LaconicError(
      "input_invalid",
      `${place}: token ${tokens[position]} at position ${position} is outside the vocabulary of ${config.vocabularySize}`,
      { position, token: tokens[position] as number },
    );
}
