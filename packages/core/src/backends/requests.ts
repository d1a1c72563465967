import { type ErrorDetail, inputError, LaconicError } from "../errors.ts";
import type { SampleRequest, ForwardOptions, TrainingSequence, ValueSequence } from "../engine.ts";
import { samplingNames, samplingParameters } from "../sampling.ts";
import { checkSampling, kernelSampling, refuseRequest, type SamplingSupport } from "./sampling-fields.ts";
import { findShapeMismatch } from "../shapes/find-shape-mismatch.ts";
import type { Ragged } from "../numeric/ragged.ts";

const kernels: SamplingSupport = { name: "the local engine", supports: kernelSampling };

/** Limits of a model. */
export interface ModelLimits {
  /** Default: that of local devices. */
  readonly sampling?: SamplingSupport;
  readonly vocabularySize: number;
  /** Max tokens of prompt and reply together. */
  readonly maxPositions: number;
}

/**
 * Checks sample requests.
 * @throws LaconicError `input_invalid`
 */
export function checkSampleRequests(limits: ModelLimits, requests: readonly SampleRequest[]): void {
  requests.forEach((request, index) => {
    const { promptTokens, sampling, topLogProbs = 0 } = request;
    const fail: Fail = (reason, more) => refuseRequest(index, reason, more);
    if (promptTokens.length === 0) throw fail("the prompt is empty");
    if (promptTokens.length >= limits.maxPositions)
      throw fail(
        `the prompt has ${promptTokens.length} tokens and leaves no room for a reply; the model's limit is ${limits.maxPositions}`,
        { contextLength: limits.maxPositions },
      );
    checkTokens(limits, promptTokens, "prompt", fail);
    for (const name of samplingNames) {
      const shapeMismatch =
        sampling[name] === undefined ? null : findShapeMismatch(samplingParameters[name].shape, sampling[name]);
      if (shapeMismatch) throw fail(`${name}: ${shapeMismatch.reason}`);
    }
    const { maxTokens } = sampling;
    if (!(Number.isInteger(maxTokens) && maxTokens > 0))
      throw fail(`maxTokens is ${maxTokens}, expected a whole number from 1`);
    checkSampling(sampling, limits.sampling ?? kernels, { request: index });
    if (!(Number.isInteger(topLogProbs) && topLogProbs >= 0))
      throw fail(`topLogProbs is ${topLogProbs}, expected a whole number from 0`);
  });
}

export type Fail = (reason: string, more?: ErrorDetail) => LaconicError;

function checkTokens(limits: ModelLimits, tokens: readonly number[], name: string, fail: Fail): void {
  for (let position = 0; position < tokens.length; position++) {
    const token = tokens[position]!;
    if (Number.isInteger(token) && token >= 0 && token < limits.vocabularySize) continue;
    const reason = `${name}: token ${token} at position ${position} is outside the vocabulary of ${limits.vocabularySize}`;
    throw fail(reason, { position, token });
  }
}

/**
 * Checks sequences.
 * @throws LaconicError `input_invalid`
 */
export function checkTrainingSequences(limits: ModelLimits, sequences: readonly TrainingSequence[]): void {
  sequences.forEach(({ promptTokens, completionTokens, temperature = 1 }, index) => {
    const fail = failAt(index);
    checkTokens(limits, promptTokens, "prompt", fail);
    checkTokens(limits, completionTokens, "completion", fail);
    if (promptTokens.length === 0 && completionTokens.length > 0) throw fail("the prompt is empty");
    const length = promptTokens.length + completionTokens.length;
    // The last token predicts nothing.
    if (length - 1 > limits.maxPositions)
      throw fail(`prompt and completion have ${length} tokens; the model's limit is ${limits.maxPositions}`);
    if (!(temperature >= 0 && Number.isFinite(temperature)))
      throw fail(`temperature is ${temperature}, expected a number from 0`);
  });
}

/**
 * Checks value sequences.
 * @throws LaconicError `input_invalid`
 */
export function checkValueSequences(limits: ModelLimits, sequences: readonly ValueSequence[]): void {
  sequences.forEach(({ tokens, from = tokens.length - 1 }, index) => {
    const fail = failAt(index);
    if (tokens.length === 0) throw fail("no tokens to evaluate");
    checkTokens(limits, tokens, "tokens", fail);
    if (tokens.length > limits.maxPositions)
      throw fail(`there are ${tokens.length} tokens; the model's limit is ${limits.maxPositions}`);
    if (!(Number.isInteger(from) && from >= 0 && from < tokens.length))
      throw fail(`from is ${from}, expected a position among ${tokens.length} tokens`);
  });
}

function failAt(sequence: number): Fail {
  return (reason, more) => inputError(`sequence ${sequence}: ${reason}`, { sequence, ...more });
}

/**
 * Checks that the option is an integer >= 0.
 * @throws LaconicError `input_invalid`
 */
export function checkTopLogProbs({ topLogProbs = 0 }: ForwardOptions): void {
  if (!(Number.isInteger(topLogProbs) && topLogProbs >= 0))
    throw inputError(`topLogProbs is ${topLogProbs}, expected a whole number from 0`);
}

/**
 * Checks a gradient for these batch rows.
 * @throws LaconicError `input_invalid` for a wrong length; `numeric_invalid`
 */
export function checkTokenGradient(gradient: Float64Array, logProbs: Ragged, rows: readonly number[]): void {
  if (gradient.length !== logProbs.values.length)
    throw inputError(`the token gradient has ${gradient.length} values, expected ${logProbs.values.length}`);
  const bad = gradient.findIndex((value) => !Number.isFinite(value));
  if (bad < 0) return;
  const row = logProbs.offsets.findLastIndex((offset) => offset <= bad);
  const sequence = rows[row]!;
  const token = bad - logProbs.offsets[row]!;
  throw new LaconicError(
    "numeric_invalid",
    `the gradient of sequence ${sequence}, completion token ${token} is ${gradient[bad]}, its log-prob ${logProbs.values[bad]}`,
    { sequence, token },
  );
}
