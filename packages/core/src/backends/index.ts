/**
 * Sampling parameters, checks of requests, and streams, for authors of engines and clients.
 * @module @laconic/core/backends
 */
export { checkOptimizerSettings, optimizerTable } from "../optimizer-settings.ts";
export { samplingNames, samplingParameters } from "../sampling.ts";
export { incrementalDecoder, streamCompletion, streamText } from "./streams.ts";
export type { IncrementalDecoder, StreamTokenizer } from "./streams.ts";
export {
  checkSampleRequests,
  checkTokenGradient,
  checkTopLogProbs,
  checkTrainingSequences,
  checkValueSequences,
} from "./requests.ts";
export type { ModelLimits } from "./requests.ts";
export {
  checkSampling,
  kernelSampling,
  refuseRequest,
  samplingCuts,
  samplingFields,
  samplingFieldShapes,
  samplingOfFields,
  supportedSampling,
} from "./sampling-fields.ts";
export type { SamplingFields, SamplingSupport } from "./sampling-fields.ts";
export { stopEnd } from "./stop-end.ts";
