import { resolve } from "node:path";
import { LaconicError } from "@laconic/core";
import { parseJson } from "@laconic/core/json";
import { checkPairConfig, pairMethod, pairTask, type PairConfig } from "@laconic/evaluation/bench";
import { findRun } from "@laconic/runtime";
import { taskOfRun } from "@laconic/runtime/bench";
import { taskSettingsSchema, taskTitle, type TaskSettings } from "@laconic/tasks/named";
import { wholeNumber } from "../cli/numbers.ts";
import { wordsIn } from "../cli/words.ts";
import { spendingCap, type SpendingCap } from "../run/spending.ts";
import type { TaskArguments } from "./bench-flags.ts";

/** Teams of the tasks that have baselines; what `--methods` is by default. */
const taskBaselines = "single,concatenation,pipeline,discussion-1,discussion-2";

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
  if (given.length === 0)
    throw new LaconicError(
      "config_invalid",
      "--tasks is missing: name tasks, or a trained team in --methods NAME=RUN",
      {
        flag: "tasks",
      },
    );
  if (model === undefined)
    throw new LaconicError(
      "config_invalid",
      "--model is missing: name the baselines' model, or a trained team in --methods NAME=RUN",
      { flag: "model" },
    );
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
