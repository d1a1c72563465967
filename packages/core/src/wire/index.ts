/**
 * Exports finish reasons, network errors without keys, protobuf messages, and a check against foreign web pages.
 * @module @laconic/core/wire
 */
export { finishReasons } from "../language-model.ts";
export { foreignCaller, isLoopback } from "./foreign-caller.ts";
export { hostOf, networkCode, networkReason, serverAddress } from "./network-error.ts";
export { doubleField, fieldsOf, floatField, intField, lengthField, type ProtoValue } from "./protobuf.ts";
export { readFinishReason } from "./read-finish-reason.ts";
export { withoutKey } from "./without-key.ts";
