import { settingError } from "../setting-error.ts";
import { LaconicError, type LoraSettings } from "@laconic/core";
import { z } from "zod";
import { checkSampling, samplingCuts } from "@laconic/core/backends";
import { evaluationSampling } from "@laconic/trainer";
import { tinkerSampling, type ServerRecord } from "@laconic/tinker";
import { objectivePreset } from "@laconic/gspo/presets";
import type { ImportanceOptions } from "@laconic/gspo";
import type { AppConfig } from "./run-settings.ts";
import { isReference } from "../resolver/reference.ts";

/** Kind of sampling servers; `open-fleet.ts` connects to them. */
export interface ServerKind {
  readonly title: string;
  /** Whether it accepts full weights besides adapters. */
  readonly takesAllWeights: boolean;
  /** Whether log-probs ignore truncated sampling. */
  readonly reportsUncut: boolean;
  /** Start command. @param versions - max versions at once */
  start(lora: LoraSettings | null, versions: number): string;
}

export type ServerKindName = "vllm" | "sglang";

export const serverKinds: Readonly<Record<ServerKindName, ServerKind>> = {
  vllm: {
    title: "vLLM",
    takesAllWeights: false,
    reportsUncut: false,
    start: (lora, versions) =>
      `VLLM_ALLOW_RUNTIME_LORA_UPDATING=True vllm serve MODEL --enable-lora --max-lora-rank ${lora?.rank} --max-loras ${versions} --max-cpu-loras ${2 * versions} --logprobs-mode processed_logprobs`,
  },
  sglang: {
    title: "SGLang",
    takesAllWeights: true,
    reportsUncut: true,
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
}

export type SamplerSettings = {
  [Kind in ServerKindName]: { readonly [Name in Kind]: SamplerServers };
}[ServerKindName];

const servers: z.ZodType<SamplerServers> = z.strictObject({
  urls: z.array(z.string().min(1)).min(1).describe("Addresses of the servers"),
  folder: z.string().min(1).exactOptional().describe("Folder on this machine where new weights are written"),
  folderAtServers: z.string().min(1).exactOptional().describe("The same folder, as the servers see it"),
  receivers: z
    .array(z.string().min(1))
    .min(1)
    .exactOptional()
    .describe("Addresses of `laconic serve weights` beside servers that share no disk"),
  concurrency: z.int().min(1).exactOptional().describe("Requests that run at the same time"),
  logProbs: z
    .enum(["server", "forward"])
    .exactOptional()
    .describe("Log-probs of replies: those that servers report, or computed here by a forward pass"),
  tolerance: z
    .number()
    .positive()
    .exactOptional()
    .describe("Largest mean gap of a token's log-prob between server and trainer, in nats"),
  replySeconds: z.number().positive().max(300).exactOptional().describe("Seconds that a reply may take"),
  patienceSeconds: z
    .number()
    .positive()
    .exactOptional()
    .describe("Seconds after which a server that fails is given up"),
  allowPlainHttp: z.boolean().exactOptional().describe("Permits an address without TLS"),
});

/** `vllm:URL,URL` or `sglang:URL,URL`, or an object. */
export const samplerSettings: z.ZodType<SamplerSettings> = z.preprocess(
  (given) => (typeof given === "string" ? samplerFromText(given) : given),
  z.union(
    serverKindNames.map((kind) =>
      z.strictObject({ [kind]: servers.describe(`Servers of ${serverKinds[kind].title}`) }),
    ),
  ) as unknown as z.ZodType<SamplerSettings>,
);

/** @throws LaconicError `config_invalid` for text without servers */
export function samplerFromText(text: string): SamplerSettings {
  const [, kind, list = ""] = /^(\w+):(https?:\/\/[^,]+(?:,https?:\/\/[^,]+)*)$/u.exec(text) ?? [];
  const known = serverKindNames.find((each) => each === kind);
  if (known === undefined) {
    const [first, ...rest] = serverKindNames;
    const forms = [`${first}:http://HOST:PORT,http://HOST:PORT`, ...rest.map((each) => `${each}:...`)];
    throw settingError(
      "sampler",
      `${JSON.stringify(text)} names no servers; write ${forms.join(" or ")}, or null for this machine`,
    );
  }
  return { [known]: { urls: list.split(",") } } as unknown as SamplerSettings;
}

export function serversOf(sampler: SamplerSettings): SamplerServers & { readonly kind: ServerKindName } {
  const [[kind, given]] = Object.entries(sampler) as [[ServerKindName, SamplerServers]];
  return { kind, ...given };
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

/** `tinker:URL` or `tinker:MODEL@URL`, or an object. */
export const remoteSettings: z.ZodType<RemoteSettings> = z.preprocess(
  (given) => (typeof given === "string" ? fromText(given) : given),
  z.strictObject({ tinker: tinker.describe("A server of the Tinker protocol") }),
);

/** @throws LaconicError `config_invalid` for text without a server */
export function fromText(text: string): RemoteSettings {
  const [, model, url] = /^tinker:(?:(.+)@)?(https?:\/\/.+)$/u.exec(text) ?? [];
  if (url === undefined)
    throw settingError(
      "engine",
      `${JSON.stringify(text)} is no engine; write tinker:http://HOST:PORT or tinker:MODEL@http://HOST:PORT, or null for this machine`,
    );
  return { tinker: { url, ...(model !== undefined && { model }) } };
}

export function remoteTitle({ tinker: { url, model } }: RemoteSettings): string {
  return model === undefined ? `tinker:${url}` : `tinker:${model}@${url}`;
}

/** @throws LaconicError `config_invalid` for weights stored on a server */
export function expectWeightsHere(engine: RemoteSettings | null, directory: string): void {
  if (engine === null) return;
  throw new LaconicError(
    "config_invalid",
    `${directory}: the weights of this run are on ${remoteTitle(engine)}, not in its checkpoints; laconic eval asks it there`,
    { directory },
  );
}

type Settings = Omit<AppConfig, "task" | "sinks" | "warmStart">;

/** Refuses settings that a remote engine ignores. @param written - names of the written settings */
export function checkRemoteSettings(
  { engine, lora, bases, teachers, actor, device, workers, train }: Settings,
  written: readonly string[],
): void {
  if (engine === null) return;
  const { loraAlpha = 32 } = engine.tinker;
  if (device !== "auto") throw settingError("device", "has no effect: the models are on the server; set it to auto");
  if (workers !== "auto") throw settingError("workers", "has no effect: the models are on the server; set it to auto");
  if (written.includes("memory"))
    throw settingError("memory", "has no effect: the models are on the server; remove it");
  if (lora === null)
    throw settingError("lora", `the server trains adapters: set lora.rank, and lora.alpha to its scale, ${loraAlpha}`);
  if (lora.alpha !== loraAlpha)
    throw settingError(
      "lora.alpha",
      `is ${lora.alpha}, the server's is ${loraAlpha} and has no field on the wire; engine.tinker.loraAlpha says another`,
    );
  const { rank: _, alpha: __, ...others } = lora;
  const [other] = Object.keys(others);
  if (other !== undefined) throw settingError(`lora.${other}`, "has no field on the wire; remove it");
  const [base] = Object.keys(bases);
  if (base !== undefined) throw settingError(`bases.${base}`, "a remote engine has one base model; remove it");
  const [teacher] = Object.keys(teachers);
  if (teacher !== undefined) throw settingError(`teachers.${teacher}`, "a remote engine has one base model; remove it");
  if (actor !== null && !isReference(actor) && "model" in actor)
    throw settingError("actor.model", "a remote engine has one base model; use actor.api, or null for the run's own");
  if (train.opponents)
    throw settingError("train.opponents", "a server keeps no past selves for us yet; compute here, or remove it");
  const sampling = evaluationSampling(train);
  const { temperature } = sampling;
  if (temperature !== 1)
    throw settingError("train.sampling.temperature", `is ${temperature}; the wire has log-probs at temperature 1 only`);
  checkSampling(sampling, tinkerSampling, { place: "train.sampling" });
}

/** Refuses settings that a probed server does not support. @param models - number of concurrent adapters */
export function checkAgainstServer({ train }: Pick<AppConfig, "train">, record: ServerRecord, models: number): void {
  const { maxGradNorm } = train.optimizer;
  if (maxGradNorm !== null && !record.clips)
    throw settingError(
      "train.optimizer.maxGradNorm",
      `is ${maxGradNorm}, but the server does not clip gradients; set it to null, and engine.tinker.gradientCeiling to end a run that leaves the road`,
    );
  if (models > 1 && !record.severalModels)
    throw settingError(
      "policies",
      `this run has ${models} models at a time, the server trains one; share them, or use actor.api`,
    );
  const snapshots = [
    ["train.asynchronous", train.asynchronous !== null],
    ["train.refreshOldPolicyEvery", train.refreshOldPolicyEvery > 1],
    ["train.objective.kl", hasReference(train.objective)],
    ...Object.entries(train.policies).map(
      ([name, { objective }]) => [`train.policies.${name}.objective.kl`, hasReference(objective)] as const,
    ),
  ] as const;
  const [needing] = snapshots.find(([, needs]) => needs) ?? [];
  if (needing === undefined) return;
  if (record.samplers === "live")
    throw settingError(needing, "needs weights of an earlier step, but the server's samplers follow their model");
  if (record.promptLogProbs === "none")
    throw settingError(needing, "needs log-probs under weights of an earlier step, which the server does not give");
}

function hasReference(objective: object | undefined): boolean {
  return objective !== undefined && "kl" in objective && objective.kl !== undefined;
}

/** Importance weights, applied in steps with a mean gap above 0.02, as with bfloat16 servers. */
const gapCorrection: ImportanceOptions = { kind: "truncate", level: "geometric", cap: 2, gapAbove: 0.02 };

const takingAll = serverKindNames
  .flatMap((kind) => (serverKinds[kind].takesAllWeights ? [serverKinds[kind].title] : []))
  .join(" or ");

/** Refuses settings that sampling servers do not support. */
export function checkSamplerSettings({ sampler, engine, lora, bases, policies, train }: Settings): void {
  if (sampler === null) return;
  const { kind, urls, folder, folderAtServers, receivers, logProbs = "server" } = serversOf(sampler);
  if (engine !== null)
    throw settingError("sampler", "has no effect beside engine, which samples too; remove one of them");
  if (train.opponents)
    throw settingError(
      "train.opponents",
      "the servers hold the newest weights, and an opponent is none of them; sample here",
    );
  const place = `sampler.${kind}`;
  const { title, takesAllWeights, reportsUncut } = serverKinds[kind];
  const far = urls.find((url) => !isHere(url));
  if (receivers && receivers.length !== urls.length)
    throw settingError(
      `${place}.receivers`,
      `${receivers.length} for ${urls.length} servers: name one for each of urls, the same twice where servers share a disk`,
    );
  if (receivers && folderAtServers !== undefined)
    throw settingError(
      `${place}.folderAtServers`,
      "has no effect beside receivers, which say where weights are; remove it",
    );
  if (far !== undefined && folder === undefined && !receivers)
    throw settingError(
      `${place}.folder`,
      `${far} is another machine: name a folder that it and this machine share, where weights are handed over, or receivers that take them over HTTP`,
    );
  const [base] = Object.keys(bases);
  if (base !== undefined) throw settingError(`bases.${base}`, "the servers have one base model; remove it");
  if (lora === null) {
    if (!takesAllWeights)
      throw settingError(
        "lora",
        `${title} takes adapters only: set lora.rank and lora.alpha, or sample on ${takingAll}`,
      );
    const whole = `and ${title} holds one version of all weights: train an adapter (lora)`;
    if (train.asynchronous) throw settingError("train.asynchronous", `needs weights of several steps, ${whole}`);
    if (train.refreshOldPolicyEvery > 1)
      throw settingError("train.refreshOldPolicyEvery", `needs weights of an earlier step, ${whole}`);
    if (policies === "own") throw settingError("policies", `own is several policies, ${whole}`);
  }
  const [cut] = samplingCuts(evaluationSampling(train));
  if (!reportsUncut && logProbs === "server" && cut !== undefined)
    throw settingError(
      `train.sampling.${cut}`,
      `cuts the distribution, and ${title} tells the log-probs of what is left of it; set ${place}.logProbs to forward`,
    );
}

/** Adds importance weights for a large gap between sampler and trainer, unless `importance` is set. */
export function withGapCorrection(
  train: Readonly<Record<string, unknown>>,
  sampler: SamplerSettings | null,
): Readonly<Record<string, unknown>> {
  const { objective = {}, asynchronous = null, oldLogProbs = "recompute" } = train;
  // Stale samples are weighted anyway; the sampler's log-probs have no gap.
  if (sampler === null || asynchronous !== null || oldLogProbs !== "recompute") return train;
  if (typeof objective !== "object" || objective === null || "importance" in objective) return train;
  const { name = "gspo", ...options } = objective as Readonly<Record<string, unknown>>;
  if (!takesImportance(name, options)) return train;
  return { ...train, objective: { name, ...options, importance: gapCorrection } };
}

function takesImportance(name: unknown, options: Readonly<Record<string, unknown>>): boolean {
  try {
    objectivePreset(name as Parameters<typeof objectivePreset>[0], { ...options, importance: gapCorrection });
    return true;
  } catch {
    return false; // reported with the objective
  }
}

function isHere(url: string): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname : "";
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u.test(host);
}
