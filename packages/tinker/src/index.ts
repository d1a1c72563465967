/**
 * Trains and samples on servers of the Tinker protocol.
 * @module @laconic/tinker
 */
export { TinkerClient, tinkerSampling } from "./client/tinker-client.ts";
export type { AdapterSettings, TinkerClientOptions, TinkerSampling } from "./client/tinker-client.ts";
export { TrainingClient } from "./client/training-client.ts";
export type { TinkerAdam } from "./client/training-client.ts";
export type { Clock } from "@laconic/core/platform";
export { fileJournal, memoryJournal } from "./client/journal.ts";
export type { Journal, JournalEntry } from "./client/journal.ts";
export type { TransportOptions } from "./client/transport.ts";
export { datum } from "./wire/datum.ts";
export type { Datum, ModelInput, TensorData } from "./wire/datum.ts";
export { jsonCodec } from "./wire/codec.ts";
export type { Codec, WireRequest } from "./wire/codec.ts";
export { protobufCodec } from "./wire/protobuf-codec.ts";
export type { CapabilitiesReply, PassReply, SampledReply } from "./wire/replies.ts";
export { tinkerEngine } from "./engine/tinker-engine.ts";
export type { TinkerEngineOptions } from "./engine/engine-options.ts";
export { serverRecord } from "./engine/server-record.ts";
export type { ServerRecord } from "./engine/server-record.ts";
