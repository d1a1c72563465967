import { formatNumber } from "@laconic/core/text";
import { LaconicError, thrownText } from "@laconic/core";
import { createLocalEngine } from "@laconic/engine";
import { endpoint, openServed } from "@laconic/runtime";
import { chooseDevice, expectGpus } from "@laconic/runtime/devices";
import { loadConfig } from "@laconic/runtime/resolver";
import { closeServer, createCompletionServer, type GatewayStatus } from "@laconic/serve";
import { boundPort, listen } from "@laconic/serve/server";
import { command, type Command, type Values } from "../cli/command.ts";
import { exitCodeOfSignal, interrupted } from "../cli/interruption.ts";
import { parseBytes } from "../cli/numbers.ts";
import type { Terminal } from "../cli/terminal.ts";
import { programsOf, servedName, servingOf, templateArgumentsFrom } from "../serving/serve-arguments.ts";
import { runChoiceFlags, runChoiceOf, runFlags } from "../cli/flags.ts";
import { actorCap, actorSpendingFlags, timeoutFlag } from "../run/spending.ts";
import { runTraining } from "../run/run-training.ts";

/** For replies in the making when the server is told to end. */
const graceSeconds = 3;

/** An operator's stop is obeyed by then, whatever hangs. */
const maxSecondsToEnd = 4.5;

const trainFlags = Object.fromEntries(
  Object.entries(runFlags).map(([name, flag]) => [
    name,
    name === "device" ? flag : { ...flag, description: `With --train: ${flag.description}` },
  ]),
) as typeof runFlags;

const serveFlags = {
  model: {
    type: "positional",
    description:
      "A run directory, a Hugging Face model folder, hub:owner/name, or shipped; with --train a configuration of the task gateway",
    required: false,
  },
  train: {
    type: "boolean",
    description: "Train what is served: replies are recorded by rollout, and rewards come by HTTP",
  },
  policy: {
    type: "string",
    description: "One policy of a run by itself, instead of its whole team",
    valueHint: "name",
  },
  ...runChoiceFlags,
  host: { type: "string", description: "Address to listen on", default: "127.0.0.1", valueHint: "address" },
  port: { type: "string", description: "Port to listen on; 0 takes a free one", default: "8000", valueHint: "n" },
  "allow-host": {
    type: "string",
    description: "Names with commas that clients may call this server by, such as a proxy's",
    valueHint: "a,b",
  },
  "api-key-env": {
    type: "string",
    description: "Environment variable that holds the key clients must send",
    valueHint: "NAME",
  },
  "max-concurrency": {
    type: "string",
    description: "Replies in the making at once",
    default: "256",
    valueHint: "n",
  },
  "max-tokens": {
    type: "string",
    description: "Of a reply whose request does not say",
    default: "1024",
    valueHint: "n",
  },
  "keep-prefixes": {
    type: "string",
    description: "Memory for the beginnings of conversations, kept ten minutes",
    default: "256MiB",
    valueHint: "size",
  },
  cache: {
    type: "string",
    description: "Most memory for what replies are read from; three quarters of what is free by default",
    valueHint: "size",
  },
  "chat-template-arguments": {
    type: "string",
    description: 'What the chat template is told, as JSON, such as {"enable_thinking":false}; a run has its own',
    valueHint: "json",
  },
  programs: {
    type: "string",
    description: "With --train: how many programs to keep running that play rollouts",
    valueHint: "n",
  },
  program: {
    type: "string",
    description: "Command of such a program, such as 'node team.mjs'; it finds the endpoint in OPENAI_BASE_URL",
    valueHint: "command",
  },
  "program-url": {
    type: "string",
    description: "Where programs reach the endpoint, if not at the address that it listens on",
    valueHint: "url",
  },
  "max-body": { type: "string", description: "Largest request in bytes", default: "4194304", valueHint: "n" },
  ...actorSpendingFlags,
  ...timeoutFlag,
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

/** Trains what is served. */
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
  const flags = { ...args, dryRun: args["dry-run"] };
  const onStatus = (status: GatewayStatus, isOver: boolean): void =>
    terminal[isOver ? "note" : "status"](gatewayLine(status));
  return runTraining(written, words, flags, "serve", terminal, endpoint(serving, terminal, onStatus));
}

/** Serves weights as they are, until a signal. */
async function serveModel(args: ServeArguments, rest: readonly string[], terminal: Terminal): Promise<number> {
  const { host, port, ...limits } = servingOf(args);
  const given = servedName(args, rest);
  const maxBytes = parseBytes("keep-prefixes", args["keep-prefixes"]);
  const cacheBytes = args.cache === undefined ? undefined : parseBytes("cache", args.cache);
  const choice = {
    policy: args.policy,
    ...runChoiceOf(args),
    templateArguments: templateArgumentsFrom(args["chat-template-arguments"]),
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
    // An engine in the middle of a long prompt does not hold the process either.
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
