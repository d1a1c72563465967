import { join, resolve } from "node:path";
import { LaconicError } from "@laconic/core";
import { shellWord } from "@laconic/core/text";
import { parseJson } from "@laconic/core/json";
import {
  checkPairConfig,
  pairMethod,
  pairSettingsFile,
  pairTask,
  readPairConfig,
  settingsFile,
  type PairConfig,
} from "@laconic/evaluation/bench";
import { findRun } from "@laconic/runtime";
import { checkBenchTrust, playTasks, taskOfRun, type TaskLimits } from "@laconic/runtime/bench";
import { taskSettingsSchema, taskTitle, type TaskSettings } from "@laconic/tasks/named";
import { exists } from "../cli/files.ts";
import { interrupts } from "../cli/interruption.ts";
import { wholeNumber, wordsIn } from "../cli/arguments.ts";
import { printResult, type Terminal } from "../cli/terminal.ts";
import { deadlineOf, spendingCap } from "../run/spending.ts";
import type { TaskArguments } from "./bench-flags.ts";

export async function benchTasks(args: TaskArguments, terminal: Terminal): Promise<number> {
  const directory = resolve(args.run);
  if (!args.resume) await checkEmpty(directory);
  const config = args.resume ? await readPairConfig(directory, taskSettingsSchema) : await taskConfigOf(args);
  if (args.resume) await checkBenchTrust(directory, config);
  const { markdown, ...outcome } = await playTasks(directory, config, limitsOf(args, terminal), terminal);
  printResult(terminal, args.json, { directory, ...outcome }, () => markdown);
  return codeOf(outcome.stopped, outcome.summaries, args.run, terminal);
}

/** @throws LaconicError `run_exists` for a folder with a bench */
export async function checkEmpty(directory: string): Promise<void> {
  for (const file of [settingsFile, pairSettingsFile])
    if (await exists(join(directory, file)))
      throw new LaconicError(
        "run_exists",
        `${directory} holds a bench already; continue with --resume, or choose another --run`,
        { directory },
      );
}

/** Exit code; 0 if every sample has a score. */
export function codeOf(
  stopped: string | null,
  summaries: readonly { readonly scored: number; readonly samples: number }[],
  run: string,
  terminal: Terminal,
): number {
  if (stopped === null) return summaries.every(({ scored, samples }) => scored === samples) ? 0 : 1;
  terminal.note(`stopped: ${stopped}\ngo on with: laconic bench --resume --run ${shellWord(run)}`);
  return stopped === "aborted" ? 130 : 1;
}

/** @throws LaconicError `config_invalid` with the flag */
export function limitsOf(
  args: { readonly timeout?: number | undefined; readonly "max-errors": number },
  terminal: Terminal,
): TaskLimits {
  return {
    ...deadlineOf(args),
    maxErrors: args["max-errors"],
    interrupts: () => interrupts(() => terminal.note("stopping; what is done is kept (once more to stop at once)")),
  };
}

/** Default of `--methods`. */
const taskBaselines = "single,concatenation,pipeline,discussion-1,discussion-2";

/** @throws LaconicError `config_invalid` with the flag */
async function taskConfigOf(args: TaskArguments): Promise<PairConfig<TaskSettings>> {
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
  if (given.length === 0)
    throw new LaconicError(
      "config_invalid",
      "--tasks is missing: name tasks, or a trained team in --methods NAME=RUN",
      { flag: "tasks" },
    );
  if (model === undefined)
    throw new LaconicError(
      "config_invalid",
      "--model is missing: name the baselines' model, or a trained team in --methods NAME=RUN",
      { flag: "model" },
    );
  const stray = (["max-usd", "price", "timeout"] as const).find((flag) => args[flag] !== undefined);
  // Local weights have no countable cost.
  if (args["base-url"] === undefined && stray !== undefined)
    throw new LaconicError("config_invalid", `--${stray} has no effect without --base-url; remove it`, { flag: stray });
  const sampling = first?.config.train.sampling ?? { temperature: 0.7, topP: 0.9 };
  const checked = checkPairConfig(
    {
      tasks: given,
      // Absolute paths work from any folder.
      methods: methods.map(({ name, run }) => (run === null ? name : `${name}=${resolve(run)}`)),
      model,
      baseUrl: args["base-url"] ?? null,
      device: args.device ?? "auto",
      chatTemplateArguments: {
        ...first?.config.chatTemplateArguments,
        ...(parseJson(args["chat-template-arguments"] ?? "{}", "--chat-template-arguments") as Record<string, unknown>),
      },
      problems: wholeNumber("limit", String(args.limit ?? 100), 1, 1000),
      repeats: args.repeats,
      seed: args.seed,
      temperature: args.temperature ?? sampling.temperature,
      topP: args["top-p"] ?? sampling.topP ?? 1,
      concurrency: args.concurrency ?? 1,
      ...(args["base-url"] !== undefined && (await spendingCap(args, model))),
    },
    taskSettingsSchema,
    "bench",
  );
  // A run's task has settings that its name lacks.
  return { ...checked, tasks: checked.tasks.map((task) => ofRuns.get(taskTitle(task)) ?? task) };
}
