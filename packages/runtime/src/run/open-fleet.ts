import { rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import {
  Fleet,
  fleetPolicy,
  probeFleet,
  sglangServer,
  vllmServer,
  WeightsSender,
  type FleetRecord,
  type ConnectionOptions,
  type SampledReply,
  type SamplingServer,
  type ServerChange,
  type ServerStatus,
} from "@laconic/openai/fleet";
import { present } from "@laconic/core";
import { sha256 } from "@laconic/core/files";
import { makeFolders, writing } from "@laconic/core/platform";
import type { TrainedPolicy } from "@laconic/trainer";
import { formatNumber } from "@laconic/core/text";
import { environmentValue } from "../folders/folders.ts";
import { serversOf, type ServerKindName, type SamplerSettings } from "./server-settings.ts";

export interface OpenedFleet {
  readonly policies: Readonly<Record<string, TrainedPolicy>>;
  readonly record: FleetRecord;
  servers(): readonly ServerStatus[];
  /** Returns and removes the replies since the last call. */
  takeReplies(): readonly SampledReply[];
  /** Calls `warn` for quarantine changes, earlier ones included. */
  listen(warn: (change: ServerChange) => void): void;
  close(): Promise<void>;
}

interface FleetResources {
  readonly directory: string;
  readonly vocabularySize: number;
  readonly temperature: number;
  readonly note: (text: string) => void;
}

const connectors: Readonly<Record<ServerKindName, (options: ConnectionOptions) => SamplingServer>> = {
  vllm: vllmServer,
  sglang: sglangServer,
};

/**
 * @param sender - sends weights to the configured receivers
 * @throws LaconicError `config_invalid` for an invalid address or key
 */
export function samplingServers(sampler: SamplerSettings, sender?: WeightsSender): SamplingServer[] {
  const { kind, urls, receivers, allowPlainHttp } = serversOf(sampler);
  const apiKey = environmentValue("SAMPLER_API_KEY");
  const reached = (url: string): ConnectionOptions => ({ url, ...present({ apiKey, allowPlainHttp }) });
  return urls.map((url, i) => {
    const server = connectors[kind](reached(url));
    const receiver = receivers?.[i];
    return sender && receiver !== undefined ? sender.throughReceiver(server, reached(receiver)) : server;
  });
}

/**
 * Moves sampling to servers after probing them with the current weights. Removes weights of a killed process.
 * @throws LaconicError with the reasons if no server is usable
 */
export async function openFleet(
  sampler: SamplerSettings,
  policies: Readonly<Record<string, TrainedPolicy>>,
  { directory, vocabularySize, temperature, note }: FleetResources,
): Promise<OpenedFleet> {
  const { concurrency, logProbs, tolerance, replySeconds, patienceSeconds, folderAtServers, sleeps, ...rest } =
    serversOf(sampler);
  // Stable across resumes, and unique on the servers.
  const run = `laconic-${sha256(`${hostname()} ${resolve(directory)}`).slice(0, 8)}`;
  const folder = join(resolve(rest.folder ?? join(directory, "..")), `${run}-weights`);
  const replies: SampledReply[] = [];
  const unheard: ServerChange[] = [];
  let warn = (change: ServerChange): void => void unheard.push(change);
  const sender = new WeightsSender({ folder: join(folder, "sent") });
  const fleet = new Fleet({
    servers: samplingServers(sampler, sender),
    vocabularySize,
    ...present({ concurrency, sleeps }),
    ...(replySeconds !== undefined && { replyMs: 1000 * replySeconds }),
    ...(patienceSeconds !== undefined && { patienceMs: 1000 * patienceSeconds }),
    onReply: (reply) => replies.push(reply),
    onNote: (text) => note(`sampler: ${text}`),
    onQuarantine: (change) => warn({ ...change, message: `sampler: ${change.message}` }),
  });
  const close = (): Promise<void> => rm(folder, { recursive: true, force: true });
  await close();
  await writing(folder, () => makeFolders(folder));
  try {
    await fleet.clear(`${run}.`);
    const made = Object.entries(policies).map(([name, policy]) => {
      const options = {
        name: `${run}.${name}`,
        folder,
        ...(folderAtServers !== undefined && { folderAtServers: `${folderAtServers}/${run}-weights` }),
        ...present({ logProbs }),
      };
      return [name, fleetPolicy(policy, fleet, options)] as const;
    });
    const [[, first]] = made as [(typeof made)[number]];
    // Other temperatures are refused when requested.
    const takesRaw = logProbs === "forward" || temperature === 1;
    const record = await probeFleet(fleet, first.model, { vocabularySize, takesRaw, ...present({ tolerance }) });
    for (const line of fleetLines(record)) note(line);
    for (const { url, reason } of record.refused)
      warn({ server: url, state: "quarantined", reason, message: `sampler skipped: ${reason}` });
    return {
      policies: Object.fromEntries(made),
      record,
      servers: () => fleet.servers,
      listen(listener) {
        warn = listener;
        for (const change of unheard.splice(0)) warn(change);
      },
      takeReplies: () => replies.splice(0),
      close: async () => {
        await fleet.clear(`${run}.`);
        await sender.close();
        fleet.close();
        await close();
      },
    };
  } catch (error) {
    fleet.close();
    await close();
    throw error;
  }
}

function fleetLines({ servers }: FleetRecord): string[] {
  return servers.map(
    ({ kind, url, version, gap, logProbsAt }) =>
      `sampler ${kind} ${url}${version === null ? "" : ` (${version})`}: log-probs ${formatNumber(gap.mean)} from the trainer's (largest ${formatNumber(gap.max)}), ${logProbsAt === "sampling" ? "of the sampled distribution" : "at temperature 1: computed by the trainer"}`,
  );
}

export function fleetMeasures(servers: readonly ServerStatus[]): Record<string, number> {
  const count = (state: ServerStatus["state"]): number => servers.filter((server) => server.state === state).length;
  const gaps = servers.flatMap(({ state, gap }) => (state === "quarantined" ? [] : (gap ?? [])));
  return {
    "perf/servers_up": count("up"),
    "perf/servers_quarantined": count("quarantined"),
    "perf/replies_thrown_away": servers.reduce((sum, { thrown }) => sum + thrown, 0),
    ...(gaps.length > 0 && { "perf/server_gap_max": Math.max(...gaps) }),
  };
}

/** Text such as `samplers 2/3`, with unavailable addresses. */
export function serversInShort(servers: readonly ServerStatus[]): string {
  const up = servers.filter(({ state }) => state === "up");
  const down = servers.filter(({ state }) => state !== "up").map(({ url, state }) => `${url} ${state}`);
  return `samplers ${up.length}/${servers.length}${down.length === 0 ? "" : ` (${down.join(", ")})`}`;
}

interface ServerLook {
  readonly kind: string;
  readonly url: string;
  readonly works: boolean;
  readonly detail: string;
}

/** Requests health, version, context length and adapters. */
export function lookAtServers(sampler: SamplerSettings): Promise<ServerLook[]> {
  return Promise.all(
    samplingServers(sampler).map(async (server): Promise<ServerLook> => {
      const { kind, url } = server;
      try {
        const signal = AbortSignal.timeout(10_000);
        const { version, contextLength } = await server.facts(signal);
        const adapters = await server.names(signal);
        const details = [
          ...(version === null ? [] : [`version ${version}`]),
          ...(contextLength === null ? [] : [`${contextLength} tokens of context`]),
          `${adapters.length} adapters loaded`,
        ];
        return { kind, url, works: true, detail: details.join(", ") };
      } catch (error) {
        return { kind, url, works: false, detail: (error as Error).message };
      }
    }),
  );
}
