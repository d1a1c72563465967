import {
  bytesFlag,
  namesFlag,
  optionalPositional,
  textFlag,
  toggle,
  valueFlag,
  wholeFlag,
  type Values,
} from "../cli/arguments.ts";
import { formatNumber } from "@laconic/core/text";
import { isRecord, LaconicError, thrownText } from "@laconic/core";
import { boundedJson } from "@laconic/core/json";
import { createLocalEngine } from "@laconic/engine";
import { endpoint, openServed } from "@laconic/runtime";
import { chooseDevice, expectGpus } from "@laconic/runtime/devices";
import { loadConfig } from "@laconic/runtime/resolver";
import { closeServer, createCompletionServer, type GatewayStatus } from "@laconic/serve";
import { boundPort, listen } from "@laconic/serve/server";
import { command, type Command } from "../cli/command.ts";
import { exitCodeOfSignal, interrupted } from "../cli/interruption.ts";
import type { Terminal } from "../cli/terminal.ts";
import { checkHost, keyFrom } from "../serving/host.ts";
import { hostFlag, runChoiceFlags, runChoiceOf, runFlags } from "../cli/flags.ts";
import { actorCap, actorSpendingFlags } from "../run/spending.ts";
import { runTraining } from "../run/run-training.ts";

/** Time for running replies at shutdown. */
const graceSeconds = 3;

/** Max time until the exit after a stop. */
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
    "A run directory, a Hugging Face model folder, hub:owner/name, or shipped; with --train a configuration of the task gateway",
  ),
  train: toggle("Train what is served: replies are recorded by rollout, and rewards come by HTTP"),
  policy: textFlag("One policy of a run by itself, instead of its whole team", "name"),
  ...runChoiceFlags,
  host: hostFlag,
  port: wholeFlag(0, 65_535)("Port to listen on; 0 takes a free one", "n", "8000"),
  "allow-host": namesFlag("Names with commas that clients may call this server by, such as a proxy's", "a,b"),
  "api-key-env": textFlag("Environment variable that holds the key clients must send", "NAME"),
  "max-concurrency": wholeFlag()("Replies in the making at once", "n", "256"),
  "max-tokens": wholeFlag()("Of a reply whose request does not say", "n", "1024"),
  "keep-prefixes": bytesFlag("Memory for the beginnings of conversations, kept ten minutes", "size", "256MiB"),
  cache: bytesFlag("Most memory for what replies are read from; three quarters of what is free by default", "size"),
  "chat-template-arguments": valueFlag(templateArgumentsFrom)(
    'What the chat template is told, as JSON, such as {"enable_thinking":false}; a run has its own',
    "json",
  ),
  programs: wholeFlag(1, maxPrograms)("With --train: how many programs to keep running that play rollouts", "n"),
  program: textFlag(
    "Command of such a program, such as 'node team.mjs'; it finds the endpoint in OPENAI_BASE_URL",
    "command",
  ),
  "program-url": textFlag("Where programs reach the endpoint, if not at the address that it listens on", "url"),
  "max-body": wholeFlag()("Largest request in bytes", "n", "4194304"),
  ...actorSpendingFlags,
  ...trainFlags,
} as const;

type ServeArguments = Values<typeof serveFlags>;

export const serveCommand: Command = command({
  description: "Put a policy behind an OpenAI-compatible endpoint",
  args: serveFlags,
  rest: "settings",
  run: (args, { terminal, rest }) =>
    args.train ? serveTraining(args, rest, terminal) : serveModel(args, rest, terminal),
});

async function serveTraining(args: ServeArguments, rest: readonly string[], terminal: Terminal): Promise<number> {
  const serving = { ...servingOf(args), ...programsOf(args) };
  const words = args.model?.includes("=") ? [args.model, ...rest] : rest;
  const config = words === rest ? args.model : undefined;
  if (config === undefined && !args.resume)
    throw new LaconicError(
      "config_invalid",
      "name a configuration of the task gateway: laconic serve --train FILE; or continue a run: --train --resume --run DIR",
      { key: "train" },
    );
  const written = config === undefined ? null : await loadConfig(config);
  const onStatus = (status: GatewayStatus, isOver: boolean): void =>
    terminal[isOver ? "note" : "status"](gatewayLine(status));
  return runTraining(written, words, args, "serve", terminal, endpoint(serving, terminal, onStatus));
}

/** Serves until a signal. */
async function serveModel(args: ServeArguments, rest: readonly string[], terminal: Terminal): Promise<number> {
  const { host, port, ...limits } = servingOf(args);
  const given = servedName(args, rest);
  const { "keep-prefixes": maxBytes, cache: cacheBytes } = args;
  const choice = {
    policy: args.policy,
    ...runChoiceOf(args),
    templateArguments: args["chat-template-arguments"] ?? {},
    cap: actorCap(args),
  };
  const device = await chooseDevice(args.device ?? "auto", "auto", (line) => terminal.note(line));
  await expectGpus(device);
  const engine = await createLocalEngine({
    device: device.sources,
    workers: device.workers,
    keptPrefixes: { maxBytes, maxAgeSeconds: 600 },
    ...(cacheBytes !== undefined && { cacheBytes }),
    onWarning: (message) => terminal.warn(message),
  });
  try {
    const served = await openServed(given, choice, { engine, device }, terminal);
    const [first, ...seats] = served.models.map(({ name }) => name);
    const server = createCompletionServer({
      ...limits,
      models: served.models,
      now: () => new Date().getTime(),
      onError: (error) => terminal.note(`error: ${thrownText(error)}`),
    });
    await listen(server, port, host);
    const names = seats.length === 0 ? first : `the team ${first} and ${seats.join(", ")}`;
    terminal.note(`serving ${names} on http://${host}:${boundPort(server, port)}/v1 (${device.name}); ctrl-c stops`);
    const signal = await interrupted();
    terminal.note(`${signal}: finishing what is in the making; once more stops at once`);
    // Exits even if the engine is busy.
    setTimeout(() => process.exit(exitCodeOfSignal(signal)), maxSecondsToEnd * 1000).unref();
    await closeServer(server, graceSeconds * 1000);
    await served.close();
    return 0;
  } finally {
    await engine.close();
  }
}

/** `step 12: 3/8 groups, 5 rollouts open, 14 wait; 2 stale, 1 rerendered` */
function gatewayLine({ step, groupsReady, groupsPerStep, open, waiting, ...counts }: GatewayStatus): string {
  const { held: toBegin, dropped, prompts, otherSampling, validation: held } = counts;
  const odd = [
    ...(toBegin === 0 ? [] : [`${toBegin} held`]),
    ...(held ? [`validation ${formatNumber(held.score)} of ${held.count} after step ${held.step}`] : []),
    ...Object.entries(dropped).map(([reason, count]) => `${count} ${reason}`),
    ...(prompts["rerendered"] === undefined ? [] : [`${prompts["rerendered"]} rerendered`]),
    ...(otherSampling === 0 ? [] : [`${otherSampling} asked for other sampling`]),
  ];
  const groups = `${Math.min(groupsReady, groupsPerStep)}/${groupsPerStep} groups`;
  const line = `step ${(step ?? 0) + 1}: ${groups}, ${open} rollouts open, ${waiting} wait`;
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

/** @throws LaconicError `config_invalid` for a number without a program, or an empty command */
function programsOf(args: ServeArguments): Pick<Parameters<typeof endpoint>[0], "programs" | "programUrl"> {
  const { programs, program, "program-url": programUrl } = args;
  const refused = (key: string, reason: string): LaconicError =>
    new LaconicError("config_invalid", `--${key}: ${reason}`, { key });
  if (program === undefined) {
    if (programs !== undefined) throw refused("programs", "say which, with --program");
    if (programUrl !== undefined) throw refused("program-url", "there is no --program to tell it");
    return { programs: null };
  }
  const [first, ...words] = wordsOf(program);
  if (first === undefined) throw refused("program", "it is empty; expected a command");
  return { programs: { count: programs ?? 1, command: [first, ...words] }, programUrl };
}

/** Splits at spaces; supports quotes, without a shell. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/gu)].map(([, a, b, c]) => a ?? b ?? c ?? "");
}

/** Flags that need `--train`. */
const trainingOnly = ["json", "seed", "run", "resume", "dry-run", "programs", "program", "program-url"] as const;

/** @throws LaconicError `config_invalid` without a model, or for a flag that needs `--train` */
function servedName(args: ServeArguments, rest: readonly string[]): string {
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

/** @throws LaconicError `config_invalid` for other values than a JSON object */
function templateArgumentsFrom(text: string, flag: string): Readonly<Record<string, unknown>> {
  const refused = (reason: string): LaconicError =>
    new LaconicError("config_invalid", `--${flag} is ${text}: ${reason}`, { key: flag });
  let value: unknown;
  try {
    value = boundedJson(text);
  } catch {
    throw refused('expected JSON, such as {"enable_thinking":false}');
  }
  if (!isRecord(value)) throw refused("expected a JSON object");
  return value;
}
