import { LaconicError } from "@laconic/core";
import { z } from "zod";
import { serverKindNames, serverKinds, type ServerKindName } from "./server-kinds.ts";

/** Servers that a run samples on while it trains here. Their key, if they have one, is $SAMPLER_API_KEY. */
export interface SamplerServers {
  /** Such as `http://10.0.0.5:8000`. */
  readonly urls: readonly string[];
  /** Where versions of the weights are written, for the servers to read; needed where they are on other machines. */
  readonly folder?: string;
  /** The same folder as the servers see it. */
  readonly folderAtServers?: string;
  /** For servers that share no disk: a `laconic serve weights` on each server's machine takes the weights; one for each of `urls`, in their order. */
  readonly receivers?: readonly string[];
  /** Requests at once on each server; 64 by default. */
  readonly concurrency?: number;
  /** `server` takes the log-probs that servers report, `forward` computes them here; `server` by default. */
  readonly logProbs?: "server" | "forward";
  /** Largest mean gap of a token's log-prob between server and trainer that is let through, at the probe and of replies; 0.1 by default. */
  readonly tolerance?: number;
  /** Most seconds of one reply, before another server is asked; 300 by default, and at most. */
  readonly replySeconds?: number;
  /** Most seconds without any server that works; 600 by default. */
  readonly patienceSeconds?: number;
  /** Speak plain http with a key to another machine, as within a cluster. */
  readonly allowPlainHttp?: boolean;
}

/** Where a run samples, if not on its own engine. */
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

const [first, ...others] = serverKindNames;

/** `vllm:URL,URL` or `sglang:URL,URL`, or the same written out. */
export const samplerSettings: z.ZodType<SamplerSettings> = z.preprocess(
  (given) => (typeof given === "string" ? samplerFromText(given) : given),
  z.union(
    serverKindNames.map((kind) =>
      z.strictObject({ [kind]: servers.describe(`Servers of ${serverKinds[kind].title}`) }),
    ),
  ) as unknown as z.ZodType<SamplerSettings>,
);

/** @throws LaconicError `config_invalid` for a text that names no servers */
export function samplerFromText(text: string): SamplerSettings {
  const [, kind, list = ""] = /^(\w+):(https?:\/\/[^,]+(?:,https?:\/\/[^,]+)*)$/u.exec(text) ?? [];
  const known = serverKindNames.find((each) => each === kind);
  if (known === undefined)
    throw new LaconicError(
      "config_invalid",
      `sampler: ${JSON.stringify(text)} names no servers; write ${[`${first}:http://HOST:PORT,http://HOST:PORT`, ...others.map((each) => `${each}:...`)].join(" or ")}, or null for this machine`,
      { key: "sampler" },
    );
  return { [known]: { urls: list.split(",") } } as unknown as SamplerSettings;
}

/** The kind of the servers, and the rest of the setting. */
export function serversOf(sampler: SamplerSettings): SamplerServers & { readonly kind: ServerKindName } {
  const [[kind, given]] = Object.entries(sampler) as [[ServerKindName, SamplerServers]];
  return { kind, ...given };
}

/** As one writes it. */
export function samplerTitle(sampler: SamplerSettings): string {
  const { kind, urls } = serversOf(sampler);
  return `${kind}:${urls.join(",")}`;
}
