import { isRecord, LaconicError } from "@laconic/core";
import { boundedJson } from "@laconic/core/json";
import type { endpoint } from "@laconic/runtime";
import { isLoopback } from "@laconic/serve/server";
import { wholeNumber } from "../cli/numbers.ts";

/** The flags of `serve` on its server. */
interface ServerArguments {
  readonly host: string;
  readonly port: string;
  readonly "allow-host"?: string | undefined;
  readonly "api-key-env"?: string | undefined;
  readonly "max-concurrency": string;
  readonly "max-body": string;
  readonly "max-tokens": string;
}

/** Where a server listens, and what it takes. */
type Serving = Parameters<typeof endpoint>[0];

/** @throws LaconicError `config_invalid` for an address or a number that cannot be */
export function servingOf(args: ServerArguments): Serving {
  const apiKey = keyFrom(args["api-key-env"]);
  checkHost(args.host, apiKey);
  return {
    host: args.host,
    port: wholeNumber("port", args.port, 0, 65_535),
    hosts: [args.host, ...(args["allow-host"]?.split(",") ?? [])],
    apiKey,
    maxConcurrency: wholeNumber("max-concurrency", args["max-concurrency"]),
    maxBodyBytes: wholeNumber("max-body", args["max-body"]),
    defaultMaxTokens: wholeNumber("max-tokens", args["max-tokens"]),
  };
}

/** What has a meaning with `--train` alone. */
const trainingOnly = ["json", "seed", "run", "resume", "dry-run", "programs", "program", "program-url"] as const;

/** The flags of `serve --train` on the programs that play. */
interface ProgramArguments {
  readonly programs?: string | undefined;
  readonly program?: string | undefined;
  readonly "program-url"?: string | undefined;
}

/** More would be a mistake of typing. */
const maxPrograms = 1000;

/** @throws LaconicError `config_invalid` for a number without a program, and a program without a command */
export function programsOf(args: ProgramArguments): Pick<Serving, "programs" | "programUrl"> {
  const { programs, program, "program-url": programUrl } = args;
  const refused = (key: string, reason: string): LaconicError =>
    new LaconicError("config_invalid", `--${key}: ${reason}`, { key });
  if (program === undefined) {
    if (programs !== undefined) throw refused("programs", "say which, with --program");
    if (programUrl !== undefined) throw refused("program-url", "there is no --program to tell it");
    return { programs: null };
  }
  const count = wholeNumber("programs", programs ?? "1", 1, maxPrograms);
  const [first, ...words] = wordsOf(program);
  if (first === undefined) throw refused("program", "it is empty; expected a command");
  return { programs: { count, command: [first, ...words] }, programUrl };
}

/** Words of a command, which no shell reads: spaces part them, quotes keep them together. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/gu)].map(([, a, b, c]) => a ?? b ?? c ?? "");
}

/** @throws LaconicError `config_invalid` without a model, and for what has a meaning with `--train` alone */
export function servedName(
  args: { readonly model?: string | undefined } & { readonly [Flag in (typeof trainingOnly)[number]]?: unknown },
  rest: readonly string[],
): string {
  const stray = trainingOnly.find((name) => args[name] !== undefined && args[name] !== false);
  if (stray !== undefined || rest.length > 0)
    throw new LaconicError(
      "config_invalid",
      `${stray === undefined ? rest[0] : `--${stray}`} belongs to a training; serve a configuration with --train`,
      { key: stray ?? "train" },
    );
  if (args.model !== undefined) return args.model;
  throw new LaconicError(
    "config_invalid",
    "name what to serve: a run directory, a model folder, hub:owner/name, or shipped",
    { key: "model" },
  );
}

/** @throws LaconicError `config_invalid` for what is no JSON object */
export function templateArgumentsFrom(text: string | undefined): Readonly<Record<string, unknown>> {
  if (text === undefined) return {};
  const refused = (reason: string): LaconicError =>
    new LaconicError("config_invalid", `--chat-template-arguments is ${text}: ${reason}`, {
      key: "chat-template-arguments",
    });
  let value: unknown;
  try {
    value = boundedJson(text);
  } catch {
    throw refused('expected JSON, such as {"enable_thinking":false}');
  }
  if (!isRecord(value)) throw refused("expected a JSON object");
  return value;
}

/** @throws LaconicError `config_invalid` when the variable is not set: serving without the key would be worse. */
export function keyFrom(variable: string | undefined): string | null {
  if (variable === undefined) return null;
  const key = process.env[variable];
  if (key) return key;
  throw new LaconicError("config_invalid", `--api-key-env names ${variable}, which is not set`, { key: "api-key-env" });
}

/** @throws LaconicError `config_invalid` for an address that can be reached from elsewhere, without a key */
export function checkHost(host: string, apiKey: string | null): void {
  if (apiKey !== null || isLoopback(host)) return;
  throw new LaconicError(
    "config_invalid",
    `--host ${host} can be reached from elsewhere; name a key with --api-key-env first`,
    { key: "host" },
  );
}
