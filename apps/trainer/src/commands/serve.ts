import { basename, join, resolve } from "node:path";
import { relayTask } from "@laconic/tasks";
import {
  boundedJson,
  LaconicError,
  type ChatTokenizer,
  type Engine,
  type ModelSource,
  type Tokenizer,
  type TrainableModel,
} from "@laconic/core";
import { createLocalEngine, localPolicy } from "@laconic/engine";
import { closeServer, createCompletionServer, type ToolFormat } from "@laconic/serve";
import { loadTokenizer } from "@laconic/tokenizers";
import { modelPlace, runFiles } from "@laconic/trainer";
import type { CommandDef } from "citty";
import { parseBytes } from "../cli/bytes.ts";
import { command, type ExitCode } from "../cli/command.ts";
import { exists } from "../cli/files.ts";
import { wholeNumber } from "../cli/numbers.ts";
import type { Terminal } from "../cli/terminal.ts";
import { chooseDevice, expectGpus } from "@laconic/runtime/devices";
import { openModelFolder } from "@laconic/runtime/models";
import {
  checkInputs,
  checkModelsOf,
  endpoint,
  expectWeightsHere,
  modelSource,
  openRun,
  openRunTask,
  policiesOf,
  tokenizerInput,
  toolsOf,
  type FoundRun,
} from "@laconic/runtime";
import type { GatewayStatus } from "@laconic/serve";
import { gatewayLine } from "../serving/gateway-line.ts";
import { checkHost, keyFrom } from "../serving/access-flags.ts";
import { boundPort, listen } from "@laconic/serve/server";
import { interrupted } from "../serving/interrupted.ts";
import { loadConfig } from "@laconic/runtime/resolver";
import { runTraining } from "./train.ts";
import { runFlags, type CommandContext } from "./common.ts";

/** What is served: weights, and the tokenizer they were trained with. */
interface Served {
  readonly name: string;
  readonly source: ModelSource;
  readonly tokenizer: Tokenizer | ChatTokenizer;
  /** Of a run that was trained with tools. */
  readonly tools?: ToolFormat | null;
}

/** For replies in the making when the server is told to end. */
const graceSeconds = 3;

/** An operator's stop is obeyed by then, whatever hangs. */
const maxSecondsToEnd = 4.5;

export function serveCommand({ terminal }: CommandContext, exit: ExitCode): CommandDef {
  return command(
    {
      name: "serve",
      args: {
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
          description: "Which policy of a run that trains several; the first by default",
          valueHint: "name",
        },
        best: { type: "boolean", description: "The checkpoint of the run's best evaluation instead of its last" },
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
        "max-body": { type: "string", description: "Largest request in bytes", default: "4194304", valueHint: "n" },
        ...trainFlags,
      },
      overrides: true,
      run: async (args, rest) => {
        const apiKey = keyFrom(args["api-key-env"]);
        checkHost(args.host, apiKey);
        const [port, maxConcurrency, maxBodyBytes, defaultMaxTokens] = [
          wholeNumber("port", args.port, 0, 65_535),
          wholeNumber("max-concurrency", args["max-concurrency"], 1),
          wholeNumber("max-body", args["max-body"], 1),
          wholeNumber("max-tokens", args["max-tokens"], 1),
        ];
        if (args.train) {
          const words = args.model?.includes("=") ? [args.model, ...rest] : rest;
          const hosts = [args.host, ...(args["allow-host"]?.split(",") ?? [])];
          const serving = { host: args.host, port, hosts, apiKey, maxConcurrency, maxBodyBytes, defaultMaxTokens };
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
        const given = servedModel(args, rest);
        const maxBytes = parseBytes("keep-prefixes", args["keep-prefixes"]);
        const cacheBytes = args.cache === undefined ? undefined : parseBytes("cache", args.cache);
        const chosen = {
          policy: args.policy,
          which: args.best ? ("best" as const) : ("latest" as const),
          templateArguments: templateArgumentsFrom(args["chat-template-arguments"]),
        };
        const device = await chooseDevice(args.device ?? "auto", "auto", (line) => terminal.note(line));
        await expectGpus(device);
        const engine = await createLocalEngine({
          device: device.sources,
          workers: device.workers,
          keptPrefixes: { maxBytes, maxAgeSeconds: 600 },
          ...(cacheBytes !== undefined && { cacheBytes }),
          onWarning: (message) => terminal.note(`${terminal.paint("yellow", "warning")}: ${message}`),
        });
        try {
          const { served, model } = await open(given, terminal, chosen, engine);
          const server = createCompletionServer({
            policy: localPolicy({
              id: served.name,
              sampler: model,
              tokenizer: served.tokenizer,
              batching: "continuous",
            }),
            tokenizer: served.tokenizer,
            modelName: served.name,
            contextLength: model.contextLength,
            scorer: model,
            ...(served.tools && { tools: served.tools }),
            defaultMaxTokens,
            hosts: [args.host, ...(args["allow-host"]?.split(",") ?? [])],
            apiKey,
            maxConcurrency,
            maxBodyBytes,
            now: () => new Date().getTime(),
            onError: (error) => terminal.note(`error: ${error instanceof Error ? error.message : String(error)}`),
          });
          await listen(server, port, args.host);
          const bound = boundPort(server, port);
          terminal.note(`serving ${served.name} on http://${args.host}:${bound}/v1 (${device.name}); ctrl-c stops`);
          const signal = await interrupted();
          terminal.note(`${signal}: finishing what is in the making; once more stops at once`);
          // An engine in the middle of a long prompt does not hold the process either.
          setTimeout(() => process.exit(signal === "SIGINT" ? 130 : 143), maxSecondsToEnd * 1000).unref();
          await closeServer(server, graceSeconds * 1000);
          return 0;
        } finally {
          await engine.close();
        }
      },
    },
    exit,
  );
}

const trainFlags = Object.fromEntries(
  Object.entries(runFlags).map(([name, flag]) => [
    name,
    name === "device" ? flag : { ...flag, description: `With --train: ${flag.description}` },
  ]),
) as typeof runFlags;

/** @throws LaconicError `config_invalid` without a model, and for what has a meaning with `--train` alone */
function servedModel(
  args: { readonly model?: string | undefined } & { readonly [Flag in keyof typeof runFlags]?: unknown },
  rest: readonly string[],
): string {
  const stray = (["json", "seed", "run", "resume", "dry-run"] as const).find(
    (name) => args[name] !== undefined && args[name] !== false,
  );
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
    {
      key: "model",
    },
  );
}

async function open(
  given: string,
  terminal: Terminal,
  chosen: {
    readonly policy: string | undefined;
    readonly which: "latest" | "best";
    readonly templateArguments: Readonly<Record<string, unknown>>;
  },
  engine: Engine,
): Promise<{ readonly served: Served; readonly model: TrainableModel }> {
  const opened = async (served: Served): Promise<{ readonly served: Served; readonly model: TrainableModel }> => ({
    served,
    model: await engine.createModel(served.source),
  });
  const run = resolve(given);
  if (given === "shipped" || given.startsWith("hub:") || !(await exists(join(run, runFiles.checkpoints)))) {
    const stray = chosen.policy !== undefined ? "--policy" : chosen.which === "best" ? "--best" : null;
    if (stray !== null)
      throw new LaconicError("config_invalid", `${stray} chooses in a run; ${given} is a model without choices`, {
        key: stray,
      });
    const { folder, name } = await openModelFolder(given, terminal);
    const { templateArguments } = chosen;
    const tokenizer =
      given === "shipped" ? shippedTokenizer(templateArguments) : await loadTokenizer(folder, { templateArguments });
    return opened({ name, source: { kind: "folder", path: folder }, tokenizer });
  }
  return openRun(run, chosen.which, async (found) => opened(await servedRun(run, found, terminal, chosen)));
}

async function servedRun(
  run: string,
  { config, checkpoint }: FoundRun,
  terminal: Terminal,
  chosen: { readonly policy: string | undefined; readonly templateArguments: Readonly<Record<string, unknown>> },
): Promise<Served> {
  expectWeightsHere(config.engine, run);
  await checkModelsOf(run, config, terminal);
  const { folder } = await openModelFolder(config.model, terminal);
  const templateArguments = { ...config.chatTemplateArguments, ...chosen.templateArguments };
  const task = await openRunTask(config.task, { heldOut: 0, modelFolder: folder, templateArguments });
  await task.close?.();
  await checkInputs(run, "tokenizer", tokenizerInput(task.tokenizer));
  const policies = policiesOf(config, task);
  const policy = chosen.policy ?? Object.keys(policies)[0];
  if (policy === undefined || !Object.hasOwn(policies, policy))
    throw new LaconicError("config_invalid", `--policy is ${policy}; the run has ${Object.keys(policies).join(", ")}`, {
      key: "policy",
    });
  const base = config.bases[policy];
  const own = base === undefined ? folder : (await openModelFolder(base, terminal)).folder;
  return {
    name: basename(run),
    source: modelSource(config, own, join(checkpoint, modelPlace(policies, policy))),
    tokenizer: base === undefined ? task.tokenizer : await loadTokenizer(own, { templateArguments }),
    tools: toolsOf(config.task),
  };
}

/** @throws LaconicError `config_invalid` for arguments: its prompts are no chats. */
function shippedTokenizer(templateArguments: Readonly<Record<string, unknown>>): Tokenizer {
  if (Object.keys(templateArguments).length > 0)
    throw new LaconicError("config_invalid", "--chat-template-arguments: shipped has no chat template", {
      key: "chat-template-arguments",
    });
  return relayTask({ level: "one-fact" }).tokenizer;
}

/** @throws LaconicError `config_invalid` for what is no JSON object */
function templateArgumentsFrom(text: string | undefined): Readonly<Record<string, unknown>> {
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
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw refused("expected a JSON object");
  return value as Record<string, unknown>;
}
