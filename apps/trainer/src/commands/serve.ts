import {
  bytesFlag,
  flagError,
  grouped,
  namesFlag,
  optionalPositional,
  textFlag,
  toggle,
  wholeFlag,
  type Values,
} from "../cli/arguments.ts";
import { formatNumber } from "@laconic/core/text";
import { configError } from "@laconic/core";
import { endpoint } from "@laconic/runtime";
import { loadConfig } from "@laconic/runtime/resolver";
import type { GatewayStatus } from "@laconic/serve";
import { command, type Command } from "../cli/command.ts";
import { exitCodeOfSignal, interrupted } from "../cli/interruption.ts";
import type { Terminal } from "../cli/terminal.ts";
import { checkHost, keyFrom } from "../serving/host.ts";
import { openModelServer } from "../serving/model-server.ts";
import { hostFlag, runChoiceFlags, runChoiceOf, runFlags, templateArgumentsFlag } from "../cli/flags.ts";
import { actorCap, actorSpendingFlags } from "../run/spending.ts";
import { runTraining } from "../run/run-training.ts";

const maxSecondsToEnd = 4.5;

const trainFlags = Object.fromEntries(
  Object.entries(runFlags).map(([name, flag]) => [
    name,
    name === "device" ? flag : { ...flag, description: `With --train: ${flag.description}` },
  ]),
) as typeof runFlags;

/** Larger numbers are probably typos. */
const maxPrograms = 1000;

const serveFlags = {
  model: optionalPositional(
    "Run folder, model folder, hub:OWNER/NAME or shipped; with --train a configuration of the gateway task",
  ),
  ...grouped("Run", {
    train: toggle("Train the served policy on rollouts with rewards over HTTP"),
    programs: wholeFlag(1, maxPrograms)("With --train: number of rollout programs to keep running", "n"),
    program: textFlag("Command of a rollout program; its endpoint is in OPENAI_BASE_URL", "command"),
    "program-url": textFlag("Endpoint URL of the programs (default: the server's address)", "url"),
  }),
  ...runChoiceFlags,
  ...hostFlag,
  ...grouped("Server", {
    port: wholeFlag(0, 65_535)("Port to listen on; 0 for a free one", "n", "8000"),
    "allow-host": namesFlag("Other accepted host names, such as a proxy's", "a,b"),
    "api-key-env": textFlag("Environment variable with the clients' key", "NAME"),
  }),
  ...grouped("Limits", {
    "max-concurrency": wholeFlag()("Max replies in parallel", "n", "256"),
    "max-tokens": wholeFlag()("Default max reply length in tokens", "n", "1024"),
    "keep-prefixes": bytesFlag("Memory of the prefix cache, kept for ten minutes", "size", "256MiB"),
    cache: bytesFlag("Max memory of the KV cache (default: three quarters of free memory)", "size"),
    "max-body": wholeFlag()("Max request size in bytes", "n", "4194304"),
  }),
  ...grouped("Model", {
    policy: textFlag("Single policy of a run instead of its team", "name"),
    "chat-template-arguments": templateArgumentsFlag(
      'Chat template arguments as JSON, such as {"enable_thinking":false} (default: the run\'s)',
      "json",
    ),
  }),
  ...actorSpendingFlags,
  ...trainFlags,
} as const;

type ServeArguments = Values<typeof serveFlags>;

export const serveCommand: Command = command({
  description: "Serve a policy or a team on an OpenAI-compatible endpoint",
  examples: ["laconic serve shipped --port 8000", "laconic serve --train gateway.config.json --run runs/gateway"],
  args: serveFlags,
  rest: "settings",
  run: (args, { terminal, rest }) =>
    args.train ? serveTraining(args, rest, terminal) : serveModel(args, rest, terminal),
});

async function serveTraining(args: ServeArguments, rest: readonly string[], terminal: Terminal): Promise<number> {
  const serving = { ...servingOf(args), ...programsOf(args) };
  const overrides = args.model?.includes("=") ? [args.model, ...rest] : rest;
  const config = overrides === rest ? args.model : undefined;
  if (config === undefined && !args.resume)
    throw configError(
      "MODEL: missing; name a configuration of the gateway task, or resume a run: --train --resume --run RUN",
      { key: "train" },
    );
  const written = config === undefined ? null : await loadConfig(config);
  const onStatus = (status: GatewayStatus, isOver: boolean): void =>
    terminal[isOver ? "note" : "status"](gatewayLine(status));
  return runTraining(written, overrides, args, "serve", terminal, endpoint(serving, terminal, onStatus));
}

async function serveModel(args: ServeArguments, rest: readonly string[], terminal: Terminal): Promise<number> {
  const { host, port, ...limits } = servingOf(args);
  const input = servedName(args, rest);
  const choice = {
    policy: args.policy,
    ...runChoiceOf(args),
    templateArguments: args["chat-template-arguments"] ?? {},
    cap: actorCap(args),
  };
  const { "keep-prefixes": keptPrefixBytes, cache: cacheBytes, device = "auto" } = args;
  const server = await openModelServer(
    input,
    { host, port, device, choice, limits, keptPrefixBytes, cacheBytes },
    terminal,
  );
  const [first, ...seats] = server.names;
  const names = seats.length === 0 ? first : `the team ${first} and ${seats.join(", ")}`;
  terminal.note(`serving ${names} on ${server.url} (${server.device}); ctrl-c stops`);
  const signal = await interrupted();
  terminal.note(`${signal}: finishing running replies; press again to stop immediately`);
  // Exits even if the engine is busy.
  setTimeout(() => process.exit(exitCodeOfSignal(signal)), maxSecondsToEnd * 1000).unref();
  await server.close();
  return 0;
}

/** `step 12: 3/8 groups, 5 rollouts open, 14 waiting; 2 stale, 1 rerendered` */
function gatewayLine({ step, groupsReady, groupsPerStep, open, waiting, ...counts }: GatewayStatus): string {
  const { held: toBegin, dropped, prompts, otherSampling, validation: held } = counts;
  const odd = [
    ...(toBegin === 0 ? [] : [`${toBegin} held`]),
    ...(held ? [`validation ${formatNumber(held.score)} of ${held.count} after step ${held.step}`] : []),
    ...Object.entries(dropped).map(([reason, count]) => `${count} ${reason}`),
    ...(prompts["rerendered"] === undefined ? [] : [`${prompts["rerendered"]} rerendered`]),
    ...(otherSampling === 0 ? [] : [`${otherSampling} with other sampling`]),
  ];
  const groups = `${Math.min(groupsReady, groupsPerStep)}/${groupsPerStep} groups`;
  const line = `step ${(step ?? 0) + 1}: ${groups}, ${open} rollouts open, ${waiting} waiting`;
  return odd.length === 0 ? line : `${line}; ${odd.join(", ")}`;
}

/** Address and limits. @throws LaconicError `config_invalid` for an invalid address */
function servingOf(args: ServeArguments): Parameters<typeof endpoint>[0] {
  const { host, port, "allow-host": names = [] } = args;
  const apiKey = keyFrom(args["api-key-env"]);
  checkHost(host, apiKey);
  return {
    host,
    port,
    hosts: [host, ...names],
    apiKey,
    maxConcurrency: args["max-concurrency"],
    maxBodyBytes: args["max-body"],
    defaultMaxTokens: args["max-tokens"],
  };
}

function programsOf(args: ServeArguments): Pick<Parameters<typeof endpoint>[0], "programs" | "programUrl"> {
  const { programs, program, "program-url": programUrl } = args;
  if (program === undefined) {
    if (programs !== undefined) throw flagError("programs", "has no command; add --program");
    if (programUrl !== undefined) throw flagError("program-url", "has no effect without --program; remove it");
    return { programs: null };
  }
  const [first, ...programArgs] = wordsOf(program);
  if (first === undefined) throw flagError("program", "empty; expected a command");
  return { programs: { count: programs ?? 1, command: [first, ...programArgs] }, programUrl };
}

/** Splits at spaces; supports quotes, without a shell. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/gu)].map(([, a, b, c]) => a ?? b ?? c ?? "");
}

const trainingOnly = ["json", "seed", "run", "resume", "dry-run", "programs", "program", "program-url"] as const;

function servedName(args: ServeArguments, rest: readonly string[]): string {
  const stray = trainingOnly.find((name) => args[name] !== undefined && args[name] !== false);
  if (stray !== undefined || rest.length > 0)
    throw configError(
      `${stray === undefined ? rest[0] : `--${stray}`}: has no effect without --train; remove it or add --train`,
      { key: stray ?? "train" },
    );
  if (args.model !== undefined) return args.model;
  throw configError("MODEL: missing; name a run folder, a model folder, hub:OWNER/NAME or shipped", { key: "model" });
}
