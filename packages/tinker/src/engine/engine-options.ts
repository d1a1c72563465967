import type { EngineCapabilities } from "@laconic/core";
import type { TinkerClient } from "../client/tinker-client.ts";
import type { ServerRecord } from "./server-record.ts";

/** How a server's models are used as an engine's. */
export interface TinkerEngineOptions {
  readonly client: TinkerClient;
  /** Of {@link probeServer}, for this server and base model. */
  readonly record: ServerRecord;
  /** Token ids are below it; the protocol does not say. */
  readonly vocabularySize: number;
  /** Where the record has none. */
  readonly contextLength?: number;
  /** What an adapter's update is scaled with, alpha / rank; the protocol has no field. 32 by default, as SkyRL's. */
  readonly loraAlpha?: number;
  /** Arithmetic of the server. `bfloat16` by default. */
  readonly dtype?: EngineCapabilities["dtype"];
  /** Sequences of one request; 256 by default. */
  readonly sequencesPerRequest?: number;
  /** Seconds after which the server may delete the weights of a sampler; it keeps them by default. Longer than a step and its evaluation. */
  readonly samplerTtlSeconds?: number;
  /** A step whose gradient norm is above it ends the model before anything is built on it. Infinity by default. */
  readonly gradientCeiling?: number;
  /**
   * Most that a log-prob may differ between the pass that computed the gradient and the one that takes it: more says that
   * the weights are others. 0.01 by default.
   */
  readonly tolerance?: number;
  /** Most that the log-probs of a sampled reply may differ in the mean from those of the training pass, in nats. 0.5 by default. */
  readonly samplerTolerance?: number;
}
