/**
 * What clients of servers share: reasons by which replies end, and network errors in words without keys, and
 * protobuf messages.
 * @module @laconic/core/wire
 */
export { finishReasons } from "../language-model.ts";
export { hostOf, networkCode, networkReason, serverAddress } from "./network-error.ts";
export { doubleField, fieldsOf, floatField, intField, lengthField, type ProtoValue } from "./protobuf.ts";
export { readFinishReason } from "./read-finish-reason.ts";
export { withoutKey } from "./without-key.ts";
