import type { SampleRequest } from "../engine.ts";
import type { ErrorDetail, LaconicError } from "../errors.ts";
import { samplingNames, samplingParameters } from "../sampling.ts";
import { checkSampling, kernelSampling, type SamplingSupport } from "./sampling-fields.ts";
import { findShapeMismatch } from "../shapes/find-shape-mismatch.ts";
import { refuseRequest } from "./refuse-request.ts";

const kernels: SamplingSupport = { name: "the local engine", supports: kernelSampling };

/** What a model can take. */
export interface ModelLimits {
  /** What its engine takes of sampling; what devices take by default. */
  readonly sampling?: SamplingSupport;
  readonly vocabularySize: number;
  /** Tokens of prompt and reply together. */
  readonly maxPositions: number;
}

/** What every engine refuses to sample. @throws LaconicError `input_invalid` naming the request, and the position of a token outside the vocabulary. */
export function checkSampleRequests(limits: ModelLimits, requests: readonly SampleRequest[]): void {
  requests.forEach((request, index) => {
    const { promptTokens, sampling, topLogProbs = 0 } = request;
    const fail: Fail = (reason, more) => refuseRequest(index, reason, more);
    if (promptTokens.length === 0) throw fail("the prompt is empty");
    if (promptTokens.length >= limits.maxPositions)
      throw fail(
        `the prompt has ${promptTokens.length} tokens and leaves no room for a reply, the model holds ${limits.maxPositions}`,
        { contextLength: limits.maxPositions },
      );
    checkTokens(limits, promptTokens, "prompt", fail);
    for (const name of samplingNames) {
      const found =
        sampling[name] === undefined ? null : findShapeMismatch(samplingParameters[name].shape, sampling[name]);
      if (found) throw fail(`${name}: ${found.reason}`);
    }
    const { maxTokens } = sampling;
    if (!(Number.isInteger(maxTokens) && maxTokens > 0))
      throw fail(`maxTokens is ${maxTokens}, expected a whole number from 1`);
    checkSampling(sampling, limits.sampling ?? kernels, { request: index });
    if (!(Number.isInteger(topLogProbs) && topLogProbs >= 0))
      throw fail(`topLogProbs is ${topLogProbs}, expected a whole number from 0`);
  });
}

/** The error of one input of a call, by its reason. */
export type Fail = (reason: string, more?: ErrorDetail) => LaconicError;

/** @throws what `fail` makes of the name and position of a token outside the vocabulary. */
export function checkTokens(limits: ModelLimits, tokens: readonly number[], name: string, fail: Fail): void {
  for (let position = 0; position < tokens.length; position++) {
    const token = tokens[position] as number;
    if (Number.isInteger(token) && token >= 0 && token < limits.vocabularySize) continue;
    const reason = `${name}: token ${token} at position ${position} is outside the vocabulary of ${limits.vocabularySize}`;
    throw fail(reason, { position, token });
  }
}
