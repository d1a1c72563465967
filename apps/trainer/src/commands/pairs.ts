import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { LaconicError, tokenCost } from "@laconic/core";
import {
  csvOf,
  markdownOf,
  openRecordsOf,
  pairRecords,
  pairTables,
  readRecordsOf,
  runPairs,
  summarisePairs,
  type PairRecord,
} from "@laconic/evaluation";
import { taskTitle } from "@laconic/worlds/named";
import type { CommandDef } from "citty";
import { command, type ExitCode } from "../cli/command.ts";
import { exists } from "../cli/files.ts";
import { wholeNumber } from "../cli/numbers.ts";
import { parseJson } from "../cli/json.ts";
import { findRun } from "@laconic/runtime";
import { openAccount } from "@laconic/runtime/spending";
import { deadlineOf, spendingCap, spendingFlags, timeoutFlag, type SpendingCap } from "../run/spending.ts";
import { openPairs, taskOfRun } from "../pairs/open-pairs.ts";
import {
  checkPairConfig,
  pairSamplesFile,
  pairSettingsFile,
  pairTask,
  readPairConfig,
  trainedPair,
  type PairConfig,
} from "../pairs/pair-settings.ts";
import { jsonFlag, type CommandContext } from "./common.ts";

const baselineNames = "single,concatenation,pipeline,discussion-1,discussion-2";

export function pairsCommand({ terminal }: CommandContext, exit: ExitCode): CommandDef {
  return command(
    {
      name: "pairs",
      args: {
        tasks: {
          type: "string",
          description:
            "With commas: writing/tldr, writing/arxiv, code/coophumaneval, code/humaneval, relay-writers, relay-writers/alike; default: those of the runs",
          valueHint: "a,b",
        },
        methods: {
          type: "string",
          description: `Baselines (${baselineNames}) and trained teams as NAME=RUN, with commas; the first is what the others are compared with`,
          valueHint: "a,b",
          default: baselineNames,
        },
        model: {
          type: "string",
          description: "Of the baselines: a folder, hub:OWNER/NAME or shipped; default: the first run's, untrained",
          valueHint: "name",
        },
        "base-url": {
          type: "string",
          description: "The baselines' model is behind this OpenAI-compatible server; its key is $OPENAI_API_KEY",
          valueHint: "url",
        },
        device: { type: "string", description: "Device to compute on", default: "auto", valueHint: "name" },
        "chat-template-arguments": {
          type: "string",
          description: 'What the chat template is told, as JSON, such as {"enable_thinking":false}',
          valueHint: "json",
          default: "{}",
        },
        problems: { type: "string", description: "Held-out problems of each task", default: "100", valueHint: "n" },
        repeats: { type: "string", description: "Times that each is given", default: "1", valueHint: "n" },
        seed: { type: "string", description: "Seed of the sampling", default: "pairs", valueHint: "text" },
        temperature: {
          type: "string",
          description: "Of the baselines; default: the first run's, or 0.7",
          valueHint: "t",
        },
        "top-p": { type: "string", description: "Of the baselines; default: the first run's, or 0.9", valueHint: "p" },
        concurrency: {
          type: "string",
          description: "Problems at a time; more than 1 makes critical seconds those of a busy machine",
          default: "1",
          valueHint: "n",
        },
        ...spendingFlags,
        ...timeoutFlag,
        run: { type: "string", description: "Directory of the records", default: "pairs", valueHint: "dir" },
        resume: { type: "boolean", description: "Go on with the records in --run: what is missing or failed" },
        ...jsonFlag,
      },
      run: async (args) => {
        const directory = resolve(args.run);
        if (!args.resume && (await exists(join(directory, pairSettingsFile))))
          throw new LaconicError(
            "run_exists",
            `${directory} holds records already; go on with --resume, or choose another --run`,
            { directory },
          );
        const config = args.resume ? await readPairConfig(directory) : await configOf(args);
        const deadline = deadlineOf(args);
        const known = await readRecordsOf(pairRecords, join(directory, pairSamplesFile));
        await mkdir(directory, { recursive: true });
        // The cap is that of all records, however often one goes on, or is killed.
        const spentBefore = spentOn([...known.records.values()], config);
        const { account, close: closeAccount } = await openAccount(directory, config.maxUsd, spentBefore, terminal);
        const { boards, close } = await openPairs(config, { account, ...deadline }, terminal).catch(
          async (error: unknown) => {
            await closeAccount();
            throw error;
          },
        );
        const stop = new AbortController();
        const interrupt = (): void => stop.abort();
        process.once("SIGINT", interrupt);
        process.once("SIGTERM", interrupt);
        try {
          await writeFile(join(directory, pairSettingsFile), `${JSON.stringify(config, null, 2)}\n`);
          const file = await openRecordsOf(pairRecords, join(directory, pairSamplesFile));
          const { repeats, seed, concurrency } = config;
          let stopped: string | null;
          try {
            const clock = (): number => performance.now();
            stopped = await runPairs(boards, file, { repeats, seed, concurrency, clock, signal: stop.signal });
          } finally {
            await file.close();
          }
          const summaries = summarisePairs(sorted([...file.records.values()], config));
          const tables = pairTables(summaries);
          const markdown = tables.map((table) => markdownOf(table)).join("\n\n");
          await writeFile(join(directory, "report.md"), `${markdown}\n`);
          await writeFile(join(directory, "tables.csv"), `${tables.map((table) => csvOf(table)).join("\n\n")}\n`);
          const spent = config.price === null || config.baseUrl === null ? {} : { spentUsd: account.spentUsd };
          terminal.result(args.json ? JSON.stringify({ directory, stopped, summaries, ...spent }) : markdown);
          if (stopped === null) return summaries.every(({ scored, samples }) => scored === samples) ? 0 : 1;
          terminal.note(`stopped: ${stopped}\ngo on with: laconic pairs --resume --run ${args.run}`);
          return stopped === "aborted" ? 130 : 1;
        } finally {
          process.off("SIGINT", interrupt);
          process.off("SIGTERM", interrupt);
          await close();
          await closeAccount();
        }
      },
    },
    exit,
  );
}

/** In the order of the settings, whatever order they were taken in. */
function sorted<T extends { readonly task: string; readonly method: string }>(
  records: readonly T[],
  { tasks, methods }: PairConfig,
): T[] {
  const [titles, names] = [tasks.map((task) => taskTitle(task)), methods.map((method) => nameOf(method))];
  return records.toSorted(
    (a, b) => titles.indexOf(a.task) - titles.indexOf(b.task) || names.indexOf(a.method) - names.indexOf(b.method),
  );
}

function nameOf(method: string): string {
  return trainedPair(method)?.name ?? method;
}

interface PairArguments {
  readonly tasks?: string | undefined;
  readonly methods: string;
  readonly model?: string | undefined;
  readonly "base-url"?: string | undefined;
  readonly device: string;
  readonly "chat-template-arguments": string;
  readonly problems: string;
  readonly repeats: string;
  readonly seed: string;
  readonly temperature?: string | undefined;
  readonly "top-p"?: string | undefined;
  readonly concurrency: string;
  readonly "max-usd"?: string | undefined;
  readonly timeout?: string | undefined;
  readonly price?: string | undefined;
}

async function configOf(args: PairArguments): Promise<PairConfig> {
  const methods = listOf(args.methods);
  const names = methods.map((method) => nameOf(method));
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined)
    throw new LaconicError("config_invalid", `--methods: two are called ${twice}`, { flag: "methods" });
  const runs = methods.flatMap((method) => trainedPair(method)?.run ?? []).map((run) => resolve(run));
  const found = await Promise.all(runs.map((run) => findRun(run)));
  const ofRuns = new Map(found.map((each, i) => taskOfRun(each, runs[i] ?? "")).map((task) => [taskTitle(task), task]));
  const given = args.tasks === undefined ? [...ofRuns.values()] : listOf(args.tasks).map((text) => pairTask(text));
  const model = args.model ?? found[0]?.config.model;
  if (given.length === 0 || model === undefined)
    throw new LaconicError(
      "config_invalid",
      `--${given.length === 0 ? "tasks" : "model"} is missing: no trained team says it`,
      { flag: given.length === 0 ? "tasks" : "model" },
    );
  const cap = await capOf(args, model);
  const sampling = found[0]?.config.train.sampling ?? { temperature: 0.7, topP: 0.9 };
  const checked = checkPairConfig(
    {
      tasks: given,
      // Runs are found again from any folder.
      methods: methods.map((method) => {
        const team = trainedPair(method);
        return team ? `${team.name}=${resolve(team.run)}` : method;
      }),
      model,
      baseUrl: args["base-url"] ?? null,
      device: args.device,
      chatTemplateArguments: {
        ...found[0]?.config.chatTemplateArguments,
        ...(parseJson(args["chat-template-arguments"], "--chat-template-arguments") as Record<string, unknown>),
      },
      problems: wholeNumber("problems", args.problems, 1, 1000),
      repeats: wholeNumber("repeats", args.repeats),
      seed: args.seed,
      temperature: args.temperature === undefined ? sampling.temperature : Number(args.temperature),
      topP: args["top-p"] === undefined ? (sampling.topP ?? 1) : Number(args["top-p"]),
      concurrency: wholeNumber("concurrency", args.concurrency),
      ...cap,
    },
    "pairs",
  );
  // A run's task has settings that its name does not say.
  return { ...checked, tasks: checked.tasks.map((task) => ofRuns.get(taskTitle(task)) ?? task) };
}

/** Weights on this machine cost nothing that could be counted. */
async function capOf(args: PairArguments, model: string): Promise<SpendingCap> {
  if (args["base-url"] !== undefined) return spendingCap(args, model);
  const flag = (["max-usd", "price", "timeout"] as const).find((each) => args[each] !== undefined);
  if (flag === undefined) return { maxUsd: null, price: null };
  throw new LaconicError("config_invalid", `--${flag} has no effect without --base-url; remove it`, { flag });
}

/** US dollars of samples that a server's model gave. */
function spentOn(records: readonly PairRecord[], { methods, baseUrl, price }: PairConfig): number {
  if (price === null || baseUrl === null) return 0;
  const trained = new Set(methods.flatMap((method) => trainedPair(method)?.name ?? []));
  return records
    .filter(({ method }) => !trained.has(method))
    .reduce((sum, { promptTokens, completionTokens }) => sum + tokenCost(price, promptTokens, completionTokens), 0);
}

function listOf(text: string): string[] {
  return text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}
