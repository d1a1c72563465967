import { LaconicError } from "@laconic/core";
import { wordTable } from "@laconic/core/checks";
import type { TokenPrice } from "@laconic/core/ledger";
import {
  checkBenchConfig,
  checkPairConfig,
  pairMethod,
  pairSettingsFile,
  pairTask,
  readPairConfig,
  settingsFile,
  type BenchConfig,
  type BenchData,
  type BenchModel,
  type PairConfig,
} from "@laconic/evaluation/bench";
import { defaultBaseUrl, knownPrice, namedModel, parsePrice } from "@laconic/runtime/spending";
import { flagError, wordsIn, wholeNumber } from "../cli/arguments.ts";
import {
  userDefinedBenchValues,
  withoutFiles,
  checkBenchTrust,
  playTasks,
  taskOfRun,
  type TaskLimits,
  type TaskOutcome,
} from "@laconic/runtime/bench";
import type { BenchArguments, TaskArguments } from "./bench-flags.ts";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { shellWord } from "@laconic/core/text";
import { findRun } from "@laconic/runtime";
import { taskSettingsSchema, taskTitle, type TaskSettings } from "@laconic/tasks/named";
import { interrupts } from "../cli/interruption.ts";
import { printResult, type Terminal } from "../cli/terminal.ts";
import { deadlineOf, spendingCap } from "../run/spending.ts";

/** @throws LaconicError `config_invalid` with the flag */
export async function configOf(args: BenchArguments, directory: string, data: BenchData | null): Promise<BenchConfig> {
  const names = (flag: "benchmarks" | "methods" | "model"): string => {
    const input = args[flag];
    if (input) return input;
    throw flagError(flag, `missing${flag === "benchmarks" ? ", or --data" : ""}; see laconic bench --help`);
  };
  // A plan calls no model, so any name works.
  const model = args["dry-run"] && args.model === undefined ? "any model" : names("model");
  const baseUrl = args["base-url"] ?? defaultBaseUrl();
  const benchmarkWords = data && args.benchmarks === undefined ? [] : wordsIn(names("benchmarks"));
  const methodWords = wordsIn(names("methods"));
  return checkBenchConfig(
    {
      benchmarks: withoutFiles(benchmarkWords),
      data,
      methods: withoutFiles(methodWords),
      ...(args.cells && { cells: args.cells }),
      own: await userDefinedBenchValues(methodWords, benchmarkWords, directory),
      distribute: args.distribute,
      roleModels: await roleModelsOf(args, baseUrl),
      actor: args.actor ?? null,
      actorPrice: args["actor-price"] ?? null,
      ...gradeRulesOf(args["grade-rule"]),
      requests: args.requests ?? true,
      judge: args.judge === undefined ? null : await pricedModel("judge", args.judge, baseUrl, args["judge-price"]),
      model,
      baseUrl,
      limit: args.limit ?? null,
      seed: args.seed,
      from: args.from ?? null,
      to: args.to ?? null,
      repeats: args.repeats,
      temperature: args.temperature ?? null,
      maxTokens: args["max-tokens"] ?? null,
      shots: args.shots ?? null,
      maxUsd: args["max-usd"] ?? null,
      price: args.price ?? (await knownPrice(model)),
      concurrency: args.concurrency ?? 32,
    },
    "bench",
  );
}

/**
 * Reads `actor=NAME@URL,router=NAME`, and prices such as `actor=0.15/0.6`.
 * @throws LaconicError `config_invalid` with the flag
 */
async function roleModelsOf(args: BenchArguments, baseUrl: string): Promise<Record<string, BenchModel>> {
  const prices = Object.fromEntries(
    slotsIn("role-price", args["role-price"]).map(([slot, price]) => [slot, parsePrice(price, "role-price")]),
  );
  const models: Record<string, BenchModel> = {};
  for (const [slot, text] of slotsIn("role-model", args["role-model"])) {
    if (Object.hasOwn(models, slot)) throw flagError("role-model", `${slot} has two models`);
    models[slot] = await pricedModel("role-model", text, baseUrl, prices[slot]);
  }
  const stray = Object.keys(prices).find((slot) => !Object.hasOwn(models, slot));
  if (stray !== undefined) throw flagError("role-price", `${stray} has no separate model; set one with --role-model`);
  return models;
}

const aliases: Readonly<Record<string, string>> = wordTable({ hint: "collaborator" });

function slotsIn(flag: string, text = ""): [slot: string, value: string][] {
  return text
    .split(",")
    .filter((part) => part.trim() !== "")
    .map((part) => {
      const index = part.indexOf("=");
      const slot = part.slice(0, index).trim();
      const value = part.slice(index + 1).trim();
      if (index < 1 || value === "") throw flagError(flag, `${JSON.stringify(part)} is not ROLE=...`);
      return [Object.hasOwn(aliases, slot) ? aliases[slot]! : slot, value];
    });
}

/** Reads `published`, `math500=published,gsm8k=own`, or both: `lenient,math500=published`. */
function gradeRulesOf(text = ""): { readonly gradeRule?: string; readonly gradeRules: Record<string, string> } {
  const words = wordsIn(text);
  const [first, ...more] = words.filter((word) => !word.includes("="));
  if (more.length > 0)
    throw flagError("grade-rule", `names several rules for all benchmarks: ${[first, ...more].join(", ")}`);
  const pairs = words.filter((word) => word.includes("=")).map((word) => word.split("=", 2) as [string, string]);
  const twice = pairs.find(([name], i) => pairs.findIndex(([other]) => other === name) !== i);
  if (twice) throw flagError("grade-rule", `${twice[0]} has two rules`);
  return { ...(first !== undefined && { gradeRule: first }), gradeRules: Object.fromEntries(pairs) };
}

/** Reads `NAME@URL`; the public price is the default. @throws LaconicError `config_invalid` with the flag */
async function pricedModel(
  flag: string,
  text: string,
  baseUrl: string,
  price: TokenPrice | undefined,
): Promise<BenchModel> {
  const named = namedModel(text, baseUrl, flag);
  return { ...named, price: price ?? (await knownPrice(named.model)) };
}

export async function playTaskBench(
  args: TaskArguments,
  terminal: Terminal,
): Promise<TaskOutcome & { readonly config: PairConfig<TaskSettings> }> {
  const directory = resolve(args.run);
  if (!args.resume) checkEmpty(directory);
  const config = args.resume ? await readPairConfig(directory, taskSettingsSchema) : await taskConfigOf(args);
  if (args.resume) await checkBenchTrust(directory, config);
  return { config, ...(await playTasks(directory, config, limitsOf(args, terminal), terminal)) };
}

export async function benchTasks(args: TaskArguments, terminal: Terminal): Promise<number> {
  const { markdown, config: _, ...outcome } = await playTaskBench(args, terminal);
  printResult(terminal, args.json, { directory: resolve(args.run), ...outcome }, () => markdown);
  return codeOf(outcome.stopped, outcome.summaries, args, terminal);
}

/** @throws LaconicError `run_exists` for a folder with a bench */
export function checkEmpty(directory: string): void {
  for (const file of [settingsFile, pairSettingsFile])
    if (existsSync(join(directory, file)))
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
  { run, again = "laconic bench" }: { readonly run: string; readonly again?: string | undefined },
  terminal: Terminal,
): number {
  if (stopped === null) return summaries.every(({ scored, samples }) => scored === samples) ? 0 : 1;
  terminal.note(`stopped: ${stopped}\ncontinue with: ${again} --resume --run ${shellWord(run)}`);
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
    interrupts: () =>
      interrupts(() => terminal.note("stopping; finished samples are stored (press again to stop immediately)")),
  };
}

const taskBaselines = "single,concatenation,pipeline,discussion-1,discussion-2";

async function taskConfigOf(args: TaskArguments): Promise<PairConfig<TaskSettings>> {
  const methods = wordsIn(args.methods ?? taskBaselines).map(pairMethod);
  const names = methods.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw flagError("methods", `two methods are named ${twice}`);
  const runs = methods.flatMap(({ run }) => run ?? []).map((run) => resolve(run));
  const matches = await Promise.all(runs.map((run) => findRun(run)));
  const ofRuns = new Map(
    matches.map((foundRun, i) => taskOfRun(foundRun, runs[i] ?? "")).map((task) => [taskTitle(task), task]),
  );
  const isOfRuns = args.tasks === undefined || args.tasks === "runs";
  const input = isOfRuns ? [...ofRuns.values()] : wordsIn(args.tasks ?? "").map(pairTask);
  const [first] = matches;
  const model = args.model ?? first?.config.model;
  if (input.length === 0) throw flagError("tasks", "missing; name tasks, or a trained team in --methods NAME=RUN");
  if (model === undefined)
    throw flagError("model", "missing; name the baselines' model, or a trained team in --methods NAME=RUN");
  const stray = (["max-usd", "price", "timeout"] as const).find((flag) => args[flag] !== undefined);
  // Local weights have no countable cost.
  if (args["base-url"] === undefined && stray !== undefined)
    throw flagError(stray, "has no effect without --base-url; remove it");
  const sampling = first?.config.train.sampling ?? { temperature: 0.7, topP: 0.9 };
  const checked = checkPairConfig(
    {
      tasks: input,
      // Absolute paths work from any folder.
      methods: methods.map(({ name, run }) => (run === null ? name : `${name}=${resolve(run)}`)),
      model,
      baseUrl: args["base-url"] ?? null,
      device: args.device ?? "auto",
      chatTemplateArguments: {
        ...first?.config.chatTemplateArguments,
        ...args["chat-template-arguments"],
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
