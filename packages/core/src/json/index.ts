/**
 * JSON within limits of depth and size, without loss of digits.
 * @module @laconic/core/json
 */
export { boundedJson, maxJsonDepth, parseJson, tryParseJson } from "./bounded-json.ts";
export { exactJson, exactNumber, jsonEnd, JsonText, writeJson, type ExactJsonOptions } from "./exact-json.ts";
