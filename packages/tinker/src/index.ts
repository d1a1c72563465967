/**
 * Trains and samples on servers of the Tinker protocol.
 * @module @laconic/tinker
 */
export { TinkerClient, tinkerSampling } from "./client/tinker-client.ts";
export type { AdapterSettings, TinkerClientOptions, TinkerSampling } from "./client/tinker-client.ts";
export { TrainingClient, type TinkerAdam } from "./client/training-client.ts";
export type { Clock } from "@laconic/core/platform";
export { fileJournal, memoryJournal, type Journal, type JournalEntry } from "./client/journal.ts";
export type { TransportOptions } from "./client/transport.ts";
export { datum, type Datum, type ModelInput, type TensorData } from "./wire/datum.ts";
export { jsonCodec, type Codec, type WireRequest } from "./wire/codec.ts";
export { protobufCodec } from "./wire/protobuf-codec.ts";
export type { CapabilitiesReply, PassReply, SampledReply } from "./wire/replies.ts";
export { tinkerEngine } from "./engine/tinker-engine.ts";
export type { TinkerEngineOptions } from "./engine/engine-options.ts";
export { serverRecord, type ServerRecord } from "./engine/server-record.ts";
