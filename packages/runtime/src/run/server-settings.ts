import { configError, refuseSetting, type LoraSettings } from "@laconic/core";
import { shellWord } from "@laconic/core/text";
import { vllmExtensionFolder } from "@laconic/openai/fleet";
import { z } from "zod";

export interface ServerKind {
  readonly title: string;
  /** Whether log-probs ignore truncated sampling. */
  readonly reportsUncut: boolean;
  /** Whether a server can free its memory, and reports it. */
  readonly canSleep: boolean;
  /** Start command. @param versions - max versions at once */
  start(lora: LoraSettings | null, versions: number, sleeps: boolean): string;
}

export type ServerKindName = "vllm" | "sglang";

export const serverKinds: Readonly<Record<ServerKindName, ServerKind>> = {
  vllm: {
    title: "vLLM",
    reportsUncut: false,
    canSleep: true,
    start: (lora, versions, sleeps) => {
      const variables = lora ? "VLLM_ALLOW_RUNTIME_LORA_UPDATING=True" : `PYTHONPATH=${shellWord(vllmExtensionFolder)}`;
      const weights = lora
        ? `--enable-lora --max-lora-rank ${lora.rank} --max-loras ${versions} --max-cpu-loras ${2 * versions}`
        : "--worker-extension-cls laconic_vllm.FullWeights";
      const mode = sleeps || !lora ? " VLLM_SERVER_DEV_MODE=1" : "";
      const sleepMode = sleeps ? " --enable-sleep-mode" : "";
      return `${variables}${mode} vllm serve MODEL ${weights}${sleepMode} --logprobs-mode processed_logprobs`;
    },
  },
  sglang: {
    title: "SGLang",
    reportsUncut: true,
    canSleep: false,
    start: (lora, versions) =>
      `python -m sglang.launch_server --model-path MODEL${lora ? ` --enable-lora --max-lora-rank ${lora.rank} --max-loras-per-batch ${versions} --max-loaded-loras ${2 * versions}` : ""}`,
  },
};

export const serverKindNames: readonly ServerKindName[] = Object.keys(serverKinds) as ServerKindName[];

/** Sampling servers; optional key in $SAMPLER_API_KEY. */
interface SamplerServers {
  readonly urls: readonly string[];
  readonly folder?: string;
  readonly folderAtServers?: string;
  /** Addresses of `laconic serve weights`, parallel to `urls`, for servers without a shared disk. */
  readonly receivers?: readonly string[];
  /** Max concurrent requests per server. Default 64. */
  readonly concurrency?: number;
  /** Source of log-probs; `forward` computes them here. Default `server`. */
  readonly logProbs?: "server" | "forward";
  /** Max mean log-prob gap between server and trainer. Default 0.1. */
  readonly tolerance?: number;
  /** Timeout of a reply before another server is tried. Default and max 300. */
  readonly replySeconds?: number;
  /** Max seconds without a working server. Default 600. */
  readonly patienceSeconds?: number;
  readonly allowPlainHttp?: boolean;
  /** vLLM frees its memory while weights are trained. Default false. */
  readonly sleeps?: boolean;
}

export type SamplerSettings = {
  [Kind in ServerKindName]: { readonly [Name in Kind]: SamplerServers };
}[ServerKindName];

const servers: z.ZodType<SamplerServers> = z.strictObject({
  urls: z.array(z.string().min(1)).min(1).describe("Addresses of the servers"),
  folder: z.string().min(1).exactOptional().describe("Local folder for new weights"),
  folderAtServers: z.string().min(1).exactOptional().describe("Path of that folder on the servers"),
  receivers: z
    .array(z.string().min(1))
    .min(1)
    .exactOptional()
    .describe("Addresses of `laconic serve weights` for servers without a shared disk"),
  concurrency: z.int().min(1).exactOptional().describe("Max concurrent requests"),
  logProbs: z
    .enum(["server", "forward"])
    .exactOptional()
    .describe("Log-probs of replies: from the servers, or from a local forward pass"),
  tolerance: z
    .number()
    .positive()
    .exactOptional()
    .describe("Largest mean gap of a token's log-prob between server and trainer, in nats"),
  replySeconds: z.number().positive().max(300).exactOptional().describe("Timeout of a reply in seconds"),
  patienceSeconds: z.number().positive().exactOptional().describe("Seconds until a failing server is dropped"),
  allowPlainHttp: z.boolean().exactOptional().describe("Permission for an address without TLS"),
  sleeps: z.boolean().exactOptional().describe("vLLM frees its GPU memory while weights are trained"),
});

/** `vllm:URL,URL` or `sglang:URL,URL`, or an object. */
export const samplerSettings: z.ZodType<SamplerSettings> = z.preprocess(
  (input) => (typeof input === "string" ? samplerFromText(input) : input),
  z.union(
    serverKindNames.map((kind) =>
      z.strictObject({ [kind]: servers.describe(`Servers of ${serverKinds[kind].title}`) }),
    ),
  ) as unknown as z.ZodType<SamplerSettings>,
);

/** @throws LaconicError `config_invalid` for text without servers */
export function samplerFromText(text: string): SamplerSettings {
  const [, kind, list = ""] = /^(\w+):(https?:\/\/[^,]+(?:,https?:\/\/[^,]+)*)$/u.exec(text) ?? [];
  const match = serverKindNames.find((name) => name === kind);
  if (match === undefined) {
    const [first, ...rest] = serverKindNames;
    const forms = [`${first}:http://HOST:PORT,http://HOST:PORT`, ...rest.map((item) => `${item}:...`)];
    refuseSetting(
      "sampler",
      `${JSON.stringify(text)} is not a list of servers; write ${forms.join(" or ")}, or null for this machine`,
    );
  }
  return { [match]: { urls: list.split(",") } } as unknown as SamplerSettings;
}

export function serversOf(sampler: SamplerSettings): SamplerServers & { readonly kind: ServerKindName } {
  const [[kind, samplerServers]] = Object.entries(sampler) as [[ServerKindName, SamplerServers]];
  return { kind, ...samplerServers };
}

export function samplerTitle(sampler: SamplerSettings): string {
  const { kind, urls } = serversOf(sampler);
  return `${kind}:${urls.join(",")}`;
}

/** Tinker server that trains and samples; key in $TINKER_API_KEY. */
export interface TinkerSettings {
  readonly url: string;
  /** Base model's name. Default: the server's only model. */
  readonly model?: string;
  readonly allowPlainHttp?: boolean;
  /** Scale of the server's adapters. Default 32. */
  readonly loraAlpha?: number;
  readonly sequencesPerRequest?: number;
  /** Max concurrent samples. Default 64. */
  readonly samplesAtOnce?: number;
  /** `protobuf` is the format of the SDK from 0.25 on. Default `json`. */
  readonly wire?: "json" | "protobuf";
  /** Lifetime of sampler weights. Default: unlimited. */
  readonly samplerTtlSeconds?: number;
  /** Max gradient norm; a larger one ends the run. */
  readonly gradientCeiling?: number;
  readonly deadlineSeconds?: number;
}

export interface RemoteSettings {
  readonly tinker: TinkerSettings;
}

const tinker: z.ZodType<TinkerSettings> = z.strictObject({
  url: z.string().min(1).describe("Address of the server"),
  model: z.string().min(1).exactOptional().describe("Name of the base model at the server"),
  allowPlainHttp: z.boolean().exactOptional().describe("Permission for an address without TLS"),
  loraAlpha: z.number().positive().exactOptional().describe("Alpha of the server's adapter, if known"),
  sequencesPerRequest: z.int().min(1).exactOptional().describe("Sequences per request"),
  samplesAtOnce: z.int().min(1).exactOptional().describe("Max concurrent sample requests"),
  wire: z.enum(["json", "protobuf"]).exactOptional().describe("Encoding: `json` (self-hosted servers), or `protobuf`"),
  samplerTtlSeconds: z.int().min(60).exactOptional().describe("Lifetime of a sampler's weights in seconds"),
  gradientCeiling: z.number().positive().exactOptional().describe("Gradient norm above which the run ends"),
  deadlineSeconds: z.number().positive().exactOptional().describe("Timeout of a result in seconds"),
});

/** `tinker:URL` or `tinker:MODEL@URL`, or an object. */
export const remoteSettings: z.ZodType<RemoteSettings> = z.preprocess(
  (input) => (typeof input === "string" ? fromText(input) : input),
  z.strictObject({ tinker: tinker.describe("A server of the Tinker protocol") }),
);

/** @throws LaconicError `config_invalid` for text without a server */
export function fromText(text: string): RemoteSettings {
  const [, model, url] = /^tinker:(?:(.+)@)?(https?:\/\/.+)$/u.exec(text) ?? [];
  if (url === undefined)
    refuseSetting(
      "engine",
      `${JSON.stringify(text)} is not an engine; write tinker:http://HOST:PORT or tinker:MODEL@http://HOST:PORT, or null for this machine`,
    );
  return { tinker: { url, ...(model !== undefined && { model }) } };
}

export function remoteTitle({ tinker: { url, model } }: RemoteSettings): string {
  return model === undefined ? `tinker:${url}` : `tinker:${model}@${url}`;
}

/** @throws LaconicError `config_invalid` for weights stored on a server */
export function expectWeightsHere(engine: RemoteSettings | null, directory: string): void {
  if (engine === null) return;
  throw configError(
    `${directory}: the weights of this run are on ${remoteTitle(engine)}, not in its checkpoints; use laconic eval`,
    { directory },
  );
}
