import type { TinkerClient } from "../client/tinker-client.ts";
import type { ServerRecord } from "./server-record.ts";

/** How a server's models are used as an engine's. */
export interface TinkerEngineOptions {
  readonly client: TinkerClient;
  /** Of `probeServer`, for this server and base model. */
  readonly record: ServerRecord;
  /** Token ids are below it; the protocol does not say. */
  readonly vocabularySize: number;
  /** Where the record has none. */
  readonly contextLength?: number;
  /** What an adapter's update is scaled with, alpha / rank; the protocol has no field. 32 by default, as SkyRL's. */
  readonly loraAlpha?: number;
  /** Sequences of one request; 256 by default. */
  readonly sequencesPerRequest?: number;
  /** Seconds after which the server may delete the weights of a sampler; it keeps them by default. Longer than a step and its evaluation. */
  readonly samplerTtlSeconds?: number;
  /** A step whose gradient norm is above it ends the model before anything is built on it. Infinity by default. */
  readonly gradientCeiling?: number;
}
