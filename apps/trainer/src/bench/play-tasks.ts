import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { LaconicError } from "@laconic/core";
import { runPairs, type PairSummary } from "@laconic/evaluation";
import {
  checkPairConfig,
  inBenchFolder,
  pairMethod,
  pairSettingsFile,
  pairTask,
  taskRecords,
  writePairReport,
  type PairConfig,
} from "@laconic/evaluation/bench";
import { taskSettingsSchema, taskTitle, type TaskSettings } from "@laconic/worlds/named";
import { findRun } from "@laconic/runtime";
import { openAccount } from "@laconic/runtime/spending";
import { wholeNumber } from "../cli/numbers.ts";
import { parseJson } from "../cli/json.ts";
import type { Terminal } from "../cli/terminal.ts";
import { untilStopped } from "../cli/until-stopped.ts";
import { wordsIn } from "../cli/words.ts";
import type { Spending } from "@laconic/runtime/spending";
import { spendingCap, type SpendingCap } from "../run/spending.ts";
import { openPairs, taskOfRun } from "./open-pairs.ts";

/** Teams of the tasks that have baselines; what `--methods` is by default. */
export const taskBaselines = "single,concatenation,pipeline,discussion-1,discussion-2";

/** The flags of `bench --tasks`. */
export interface TaskArguments {
  readonly tasks?: string | undefined;
  readonly methods?: string | undefined;
  readonly model?: string | undefined;
  readonly "base-url"?: string | undefined;
  readonly device?: string | undefined;
  readonly "chat-template-arguments"?: string | undefined;
  readonly limit?: string | undefined;
  readonly repeats: string;
  readonly seed: string;
  readonly temperature?: string | undefined;
  readonly "top-p"?: string | undefined;
  readonly concurrency?: string | undefined;
  readonly "max-usd"?: string | undefined;
  readonly "max-errors"?: string | undefined;
  readonly timeout?: string | undefined;
  readonly price?: string | undefined;
}

/** What teams on tasks came to. */
export interface TaskOutcome {
  readonly stopped: string | null;
  readonly summaries: readonly PairSummary[];
  readonly markdown: string;
  /** US dollars; absent where nothing is paid for. */
  readonly spentUsd?: number;
}

/** Opens the teams, takes the samples that are missing or failed, and writes the report. */
export async function playTasks(
  directory: string,
  config: PairConfig<TaskSettings>,
  { maxErrors, ...deadline }: Pick<Spending, "deadlineMs"> & { readonly maxErrors: number },
  terminal: Terminal,
): Promise<TaskOutcome> {
  const { repeats, seed, concurrency, tasks, methods } = config;
  await mkdir(directory, { recursive: true });
  return inBenchFolder(
    directory,
    taskRecords(config),
    (spentUsd) => openAccount(directory, config.maxUsd, spentUsd, terminal),
    async (file, account) => {
      const { boards, close } = await openPairs(config, { account, ...deadline }, terminal);
      try {
        await writeFile(join(directory, pairSettingsFile), `${JSON.stringify(config, null, 2)}\n`);
        const stopped = await untilStopped(
          (text) => terminal.note(text),
          (signal) =>
            runPairs(boards, file, { repeats, seed, concurrency, maxErrors, clock: () => performance.now(), signal }),
        );
        const report = await writePairReport(directory, file.records.values(), {
          tasks: tasks.map((task) => taskTitle(task)),
          methods: methods.map((method) => pairMethod(method).name),
        });
        const isPaid = config.price !== null && config.baseUrl !== null;
        return { stopped, ...report, ...(isPaid && { spentUsd: account.spentUsd }) };
      } finally {
        await close();
      }
    },
  );
}

/**
 * A bench of teams on tasks, of what the command line says.
 * @throws LaconicError `config_invalid` naming the flag
 */
export async function taskConfigOf(args: TaskArguments): Promise<PairConfig<TaskSettings>> {
  const methods = wordsIn(args.methods ?? taskBaselines).map((method) => pairMethod(method));
  const names = methods.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined)
    throw new LaconicError("config_invalid", `--methods: two are called ${twice}`, { flag: "methods" });
  const runs = methods.flatMap(({ run }) => run ?? []).map((run) => resolve(run));
  const found = await Promise.all(runs.map((run) => findRun(run)));
  const ofRuns = new Map(found.map((each, i) => taskOfRun(each, runs[i] ?? "")).map((task) => [taskTitle(task), task]));
  const isOfRuns = args.tasks === undefined || args.tasks === "runs";
  const given = isOfRuns ? [...ofRuns.values()] : wordsIn(args.tasks ?? "").map((text) => pairTask(text));
  const [first] = found;
  const model = args.model ?? first?.config.model;
  if (given.length === 0 || model === undefined) {
    const flag = given.length === 0 ? "tasks" : "model";
    throw new LaconicError("config_invalid", `--${flag} is missing: no trained team says it`, { flag });
  }
  const sampling = first?.config.train.sampling ?? { temperature: 0.7, topP: 0.9 };
  const checked = checkPairConfig(
    {
      tasks: given,
      // Runs are found again from any folder.
      methods: methods.map(({ name, run }) => (run === null ? name : `${name}=${resolve(run)}`)),
      model,
      baseUrl: args["base-url"] ?? null,
      device: args.device ?? "auto",
      chatTemplateArguments: {
        ...first?.config.chatTemplateArguments,
        ...(parseJson(args["chat-template-arguments"] ?? "{}", "--chat-template-arguments") as Record<string, unknown>),
      },
      problems: wholeNumber("limit", args.limit ?? "100", 1, 1000),
      repeats: wholeNumber("repeats", args.repeats),
      seed: args.seed,
      temperature: args.temperature === undefined ? sampling.temperature : Number(args.temperature),
      topP: args["top-p"] === undefined ? (sampling.topP ?? 1) : Number(args["top-p"]),
      concurrency: wholeNumber("concurrency", args.concurrency ?? "1"),
      ...(await capOf(args, model)),
    },
    taskSettingsSchema,
    "bench",
  );
  // A run's task has settings that its name does not say.
  return { ...checked, tasks: checked.tasks.map((task) => ofRuns.get(taskTitle(task)) ?? task) };
}

/** Weights on this machine cost nothing that could be counted. */
async function capOf(args: TaskArguments, model: string): Promise<SpendingCap> {
  if (args["base-url"] !== undefined) return spendingCap(args, model);
  const flag = (["max-usd", "price", "timeout"] as const).find((each) => args[each] !== undefined);
  if (flag === undefined) return { maxUsd: null, price: null };
  throw new LaconicError("config_invalid", `--${flag} has no effect without --base-url; remove it`, { flag });
}
