import { configError, type LaconicError } from "@laconic/core";
import { makeFolder, writing } from "@laconic/core/platform";
import { sha256Of } from "@laconic/trainer";
import { environmentValue, isMadeHere, isTrusting, rememberMade } from "../folders/folders.ts";
import type { Progress } from "../progress.ts";
import { isModuleFile, referencesIn } from "../resolver/reference.ts";
import { sourcePrefix } from "../resolver/run-sources.ts";
import { defaultBaseUrl } from "../spending/spending.ts";
import { serversOf } from "./server-settings.ts";
import type { AppConfig } from "./run-settings.ts";

export interface NamedServer {
  readonly url: string;
  readonly keys: readonly string[];
  /** Address that the environment sets for these keys. */
  readonly configured?: string | undefined;
}

export interface MadeFolder {
  readonly directory: string;
  /** SHA-256 of configuration and sources. */
  readonly content: string;
}

/** @param inputs - only the manifest's sources count */
export function madeFolder(
  directory: string,
  settings: unknown,
  inputs: Readonly<Record<string, string>> = {},
): MadeFolder {
  const sources = Object.fromEntries(Object.entries(inputs).filter(([name]) => name.startsWith(sourcePrefix)));
  return { directory, content: sha256Of({ settings, sources }) };
}

/** Records that this machine made a folder with code or servers. */
export async function keepMade(
  { directory, content }: MadeFolder,
  config: unknown,
  servers: readonly NamedServer[],
  progress: Progress,
): Promise<void> {
  if (servers.length === 0 && codeIn(config).length === 0) return;
  await writing(directory, () => makeFolder(directory));
  if (await rememberMade(directory, content)) return;
  progress.note(
    `${directory}: cannot record this machine as its maker; open it with --trust, or set XDG_STATE_HOME to a permanent folder`,
  );
}

/** Refuses untrusted code of another machine's folder. @throws LaconicError `config_invalid` with the files */
export async function checkCode(folder: MadeFolder, config: unknown): Promise<void> {
  const files = codeIn(config);
  if (files.length === 0 || isTrusting() || (await isMadeHere(folder.directory, folder.content))) return;
  throw refusal(
    folder,
    `was not made on this machine and runs ${files.join(", ")}: read that code, then add --trust`,
    files,
  );
}

/**
 * Refuses servers that only another machine's folder names. `--trust` allows servers that receive no key.
 * @throws LaconicError `config_invalid` with the address and the key's variable
 */
export async function checkServers(folder: MadeFolder, servers: readonly NamedServer[]): Promise<void> {
  if (servers.length === 0 || (await isMadeHere(folder.directory, folder.content))) return;
  const urls = servers.map(({ url }) => url);
  if (!isTrusting())
    throw refusal(folder, `was not made on this machine and calls ${urls.join(", ")}: add --trust to allow it`, urls);
  for (const { url, keys, configured } of servers) {
    const key = keys.find((name) => environmentValue(name) !== undefined);
    if (key === undefined || (configured !== undefined && originOf(configured) === originOf(url))) continue;
    throw refusal(
      folder,
      `names the server ${url}, which must not receive ${key}: unset the variable, or name the server with OPENAI_BASE_URL, --actor or a configuration`,
      urls,
    );
  }
}

export function actorServers(actor: unknown): NamedServer[] {
  const { api } = (actor ?? {}) as { readonly api?: { readonly baseUrl: string } };
  return api ? [openAiServer(api.baseUrl)] : [];
}

export function openAiServer(url: string, keys: readonly string[] = ["OPENAI_API_KEY"]): NamedServer {
  return { url, keys, configured: defaultBaseUrl() };
}

export function engineServers({ engine }: Pick<AppConfig, "engine">): NamedServer[] {
  return engine ? [{ url: engine.tinker.url, keys: ["TINKER_API_KEY"] }] : [];
}

export function trainingServers(config: AppConfig): NamedServer[] {
  const { urls = [], receivers = [] } = config.sampler ? serversOf(config.sampler) : {};
  const told = config.sinks.flatMap((sink) =>
    Object.values(sink).flatMap((settings: unknown) => {
      const { url } = (settings ?? {}) as { readonly url?: string };
      return url === undefined ? [] : [{ url, keys: sinkKeys }];
    }),
  );
  const samplers = [...urls, ...receivers].map((url) => ({ url, keys: ["SAMPLER_API_KEY"] }));
  return [...actorServers(config.actor), ...engineServers(config), ...samplers, ...told];
}

const sinkKeys = ["HF_TOKEN"];

function codeIn(config: unknown): string[] {
  return [...new Set(referencesIn(config).map(({ file }) => file))].filter(isModuleFile);
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

function refusal({ directory }: MadeFolder, reason: string, named: readonly string[]): LaconicError {
  return configError(`${directory} ${reason}`, { directory, named: named.join(" ") });
}
