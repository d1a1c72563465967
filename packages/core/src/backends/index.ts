/**
 * For authors of engines and of clients of model servers: sampling parameters, checks of requests, and streams of tokens and text.
 * @module @laconic/core/backends
 */
export { checkOptimizerSettings, optimizerTable } from "../optimizer-settings.ts";
export { samplingNames, samplingParameters } from "../sampling.ts";
export { incrementalDecoder, type IncrementalDecoder } from "./incremental-decoder.ts";
export { refuseRequest } from "./refuse-request.ts";
export { checkSampleRequests, type ModelLimits } from "./sample-requests.ts";
export {
  checkSampling,
  kernelSampling,
  samplingCuts,
  samplingFields,
  samplingFieldShapes,
  samplingOfFields,
  supportedSampling,
} from "./sampling-fields.ts";
export type { SamplingFields, SamplingSupport } from "./sampling-fields.ts";
export { stopEnd } from "./stop-end.ts";
export { streamCompletion } from "./stream-completion.ts";
export { streamText, type StreamTokenizer } from "./stream-text.ts";
export { checkTokenGradient, checkTopLogProbs, checkTrainingSequences, checkValueSequences } from "./training.ts";
