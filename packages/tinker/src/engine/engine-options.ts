import type { TinkerClient } from "../client/tinker-client.ts";
import type { ServerRecord } from "./server-record.ts";

/** Options of a Tinker engine. */
export interface TinkerEngineOptions {
  readonly client: TinkerClient;
  /** Result of `probeServer` for this server and base model. */
  readonly record: ServerRecord;
  /** Not reported by the protocol. */
  readonly vocabularySize: number;
  /** Used if the record has none. */
  readonly contextLength?: number;
  /** Default 32, as in SkyRL; the protocol has no field for it. */
  readonly loraAlpha?: number;
  /** Max sequences per request. Default 256. */
  readonly sequencesPerRequest?: number;
  /** Seconds after which the server may delete a sampler's weights; default never. */
  readonly samplerTtlSeconds?: number;
  /** A gradient norm above this ends the model. Default Infinity. */
  readonly gradientCeiling?: number;
}
