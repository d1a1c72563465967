import type { SampleRequest } from "../engine.ts";
import { LaconicError, type ErrorDetail } from "../errors.ts";

/** What a model can take. */
export interface ModelLimits {
  readonly vocabularySize: number;
  /** Tokens of prompt and reply together. */
  readonly maxPositions: number;
}

/** What every engine refuses to sample. @throws LaconicError `input_invalid` naming the request, and the position of a token outside the vocabulary. */
export function checkSampleRequests(limits: ModelLimits, requests: readonly SampleRequest[]): void {
  requests.forEach((request, index) => {
    const { promptTokens, sampling, topLogProbs = 0 } = request;
    const place = `sample request ${index}`;
    const detail = { request: index };
    const fail = (reason: string): LaconicError => new LaconicError("input_invalid", `${place}: ${reason}`, detail);
    if (promptTokens.length === 0) throw fail("the prompt is empty");
    if (promptTokens.length >= limits.maxPositions)
      throw fail(
        `the prompt has ${promptTokens.length} tokens and leaves no room for a reply, the model holds ${limits.maxPositions}`,
      );
    checkTokens(limits, promptTokens, `${place}: prompt`, detail);
    const { temperature, maxTokens, topP = 1, topK, minP = 0 } = sampling;
    if (!(temperature >= 0 && Number.isFinite(temperature)))
      throw fail(`temperature is ${temperature}, expected a number from 0`);
    if (!(Number.isInteger(maxTokens) && maxTokens > 0))
      throw fail(`maxTokens is ${maxTokens}, expected a whole number from 1`);
    if (!(topP > 0 && topP <= 1)) throw fail(`topP is ${topP}, expected a number in (0, 1]`);
    if (topK !== undefined && !(Number.isInteger(topK) && topK > 0))
      throw fail(`topK is ${topK}, expected a whole number from 1`);
    if (!(minP >= 0 && minP <= 1)) throw fail(`minP is ${minP}, expected a number in [0, 1]`);
    if (!(Number.isInteger(topLogProbs) && topLogProbs >= 0))
      throw fail(`topLogProbs is ${topLogProbs}, expected a whole number from 0`);
  });
}

/** @throws LaconicError `input_invalid` naming the place and position of a token outside the vocabulary. */
export function checkTokens(limits: ModelLimits, tokens: readonly number[], place: string, detail: ErrorDetail): void {
  for (let position = 0; position < tokens.length; position++) {
    const token = tokens[position] as number;
    if (Number.isInteger(token) && token >= 0 && token < limits.vocabularySize) continue;
    throw new LaconicError(
      "input_invalid",
      `${place}: token ${token} at position ${position} is outside the vocabulary of ${limits.vocabularySize}`,
      { ...detail, position, token },
    );
  }
}
