import { LaconicError } from "@laconic/core";
import { z } from "zod";

/** A server of the Tinker protocol that trains and samples instead of this machine. Its key is $TINKER_API_KEY. */
export interface TinkerSettings {
  /** Such as `http://127.0.0.1:8000`. */
  readonly url: string;
  /** What the server calls the base model; its only one by default. */
  readonly model?: string;
  /** Speak plain http to another machine, as within a cluster. */
  readonly allowPlainHttp?: boolean;
  /** The scale of the server's adapters, where it is not 32; the protocol has no field. */
  readonly loraAlpha?: number;
  /** Sequences of one request. */
  readonly sequencesPerRequest?: number;
  /** Samples that are asked for at a time; 64 by default. */
  readonly samplesAtOnce?: number;
  /** `json`, which self-hosted servers speak, or `protobuf`, that of the SDK from 0.25 on; `json` by default. */
  readonly wire?: "json" | "protobuf";
  /** Seconds after which the server may delete the weights of a sampler; it keeps them by default. */
  readonly samplerTtlSeconds?: number;
  /** A step whose gradient norm is above it ends the run before anything is built on it. */
  readonly gradientCeiling?: number;
  /** Most seconds of one result. */
  readonly deadlineSeconds?: number;
}

/** Where a run's models are, if not here. */
export interface RemoteSettings {
  readonly tinker: TinkerSettings;
}

const tinker: z.ZodType<TinkerSettings> = z.strictObject({
  url: z.string().min(1).describe("Address of the server"),
  model: z.string().min(1).exactOptional().describe("Name of the base model at the server"),
  allowPlainHttp: z.boolean().exactOptional().describe("Permits an address without TLS"),
  loraAlpha: z.number().positive().exactOptional().describe("Alpha of the server's adapter, where it is known"),
  sequencesPerRequest: z.int().min(1).exactOptional().describe("Sequences of a request"),
  samplesAtOnce: z.int().min(1).exactOptional().describe("Samples that are requested at the same time"),
  wire: z.enum(["json", "protobuf"]).exactOptional().describe("`json`, which self-hosted servers speak, or `protobuf`"),
  samplerTtlSeconds: z
    .int()
    .min(60)
    .exactOptional()
    .describe("Seconds after which the server may delete weights of a sampler"),
  gradientCeiling: z
    .number()
    .positive()
    .exactOptional()
    .describe("Norm of the gradient above which a step ends the run"),
  deadlineSeconds: z.number().positive().exactOptional().describe("Seconds that a result may take"),
});

/** `tinker:URL` or `tinker:MODEL@URL`, or the same written out. */
export const remoteSettings: z.ZodType<RemoteSettings> = z.preprocess(
  (given) => (typeof given === "string" ? fromText(given) : given),
  z.strictObject({ tinker: tinker.describe("A server of the Tinker protocol") }),
);

/** @throws LaconicError `config_invalid` for a text that names no server */
export function fromText(text: string): RemoteSettings {
  const [, model, url] = /^tinker:(?:(.+)@)?(https?:\/\/.+)$/u.exec(text) ?? [];
  if (url === undefined)
    throw new LaconicError(
      "config_invalid",
      `engine: ${JSON.stringify(text)} is no engine; write tinker:http://HOST:PORT or tinker:MODEL@http://HOST:PORT, or null for this machine`,
      { key: "engine" },
    );
  return { tinker: { url, ...(model !== undefined && { model }) } };
}

/** As one writes it. */
export function remoteTitle({ tinker: { url, model } }: RemoteSettings): string {
  return model === undefined ? `tinker:${url}` : `tinker:${model}@${url}`;
}

/** @throws LaconicError `config_invalid` for a run whose checkpoints hold names of what its server keeps, instead of weights */
export function expectWeightsHere(engine: RemoteSettings | null, directory: string): void {
  if (engine === null) return;
  throw new LaconicError(
    "config_invalid",
    `${directory}: the weights of this run are on ${remoteTitle(engine)}, not in its checkpoints; laconic eval asks it there`,
    { directory },
  );
}
