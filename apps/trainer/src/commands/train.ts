import { existsSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { LaconicError } from "@laconic/core";
import { formatDuration, formatNumber, formatPercent } from "@laconic/core/text";
import { lineAt, nodeFileSystem, readSettings, runFiles, type Evaluation, type Measured } from "@laconic/trainer";
import type { CommandDef } from "citty";
import { command, type ExitCode } from "../cli/command.ts";
import { environmentValue } from "@laconic/runtime/folders";
import { measuredLines, tokenChange } from "@laconic/report";
import { checkSources, fromFolder, loadConfig, referenceTitle } from "@laconic/runtime/resolver";
import {
  applyOverrides,
  exitCodeOf,
  formerNamesIn,
  fromOwnModel,
  parseAppConfig,
  runTaskTitle,
  writtenConfig,
  type AppConfig,
  type OpenSource,
} from "@laconic/runtime";
import { actorCap, actorSpendingFlags, timeoutFlag } from "../run/spending.ts";
import { actorSpending, spentIn } from "@laconic/runtime/spending";
import { trainRun, type ReportedRun } from "../run/train-run.ts";
import { withDashboard } from "../serving/with-dashboard.ts";
import { runFlags, viewFlag, type CommandContext } from "./common.ts";

/** What `laconic init` writes, and what is trained where no configuration is named. */
const ownConfiguration = "run.config.ts";

/** Flags of a run, as typed. */
export interface RunFlags {
  readonly seed?: string | undefined;
  readonly device?: string | undefined;
  readonly run?: string | undefined;
  readonly resume?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  readonly "max-usd"?: string | undefined;
  readonly timeout?: string | undefined;
  readonly "actor-price"?: string | undefined;
  readonly view?: boolean | undefined;
}

export function trainCommand({ terminal }: CommandContext, exit: ExitCode): CommandDef {
  return command(
    {
      name: "train",
      args: {
        config: {
          type: "positional",
          required: false,
          description:
            "A .ts, .js or .json file or preset:NAME; run.config.ts of this folder by default; with --resume, a run directory",
        },
        ...runFlags,
        ...actorSpendingFlags,
        ...timeoutFlag,
        ...viewFlag,
      },
      overrides: true,
      run: async (args, rest) => {
        const flags: RunFlags = { ...args, dryRun: args["dry-run"] };
        // A resumed run names no configuration, so its first word may be a change already.
        const named = args.config !== undefined && !args.config.includes("=");
        const words = named || args.config === undefined ? rest : [args.config, ...rest];
        const config = named ? args.config : args.resume ? undefined : configurationHere();
        // `train --resume DIR` is `train --resume --run DIR`, as other commands name a run.
        if (config !== undefined && args.resume && isFolder(config))
          return runTraining(null, words, { ...flags, run: config }, "train", terminal);
        return runTraining(config === undefined ? null : await loadConfig(config), words, flags, "train", terminal);
      },
    },
    exit,
  );
}

/** @throws LaconicError `config_invalid` when the working directory holds no `run.config.ts` */
function configurationHere(): string {
  if (existsSync(ownConfiguration)) return ownConfiguration;
  throw new LaconicError(
    "config_invalid",
    `name a configuration: laconic train preset:relay-quickstart; or write a project with a ${ownConfiguration}: laconic init`,
  );
}

/** Runs or resumes a training and prints its result. Returns the exit code. */
export async function runTraining(
  written: Readonly<Record<string, unknown>> | null,
  overrides: readonly string[],
  flags: RunFlags,
  name: string,
  terminal: CommandContext["terminal"],
  openSource?: OpenSource,
): Promise<number> {
  const directory = resolve(flags.run ?? (flags.resume ? latestRun(name) : freshRun(name)));
  const words = [
    ...(flags.seed === undefined ? [] : [`train.seed=${flags.seed}`]),
    ...(flags.device === undefined ? [] : [`device=${flags.device}`]),
    ...overrides,
  ];
  // What a resumed run is given is compared with what it was started with; where nothing is given, the latter holds.
  const config =
    written === null ? await storedConfig(directory, words) : parseAppConfig(applyOverrides(written, words));
  for (const former of formerNamesIn(written ?? {}, overrides)) terminal.warn(former);
  if (flags.dryRun) {
    terminal.result(JSON.stringify(writtenConfig(config), null, flags.json ? undefined : 2));
    return 0;
  }
  const { task, train } = config;
  const spending = await actorSpending(config.actor, actorCap(flags), await spentIn(directory));
  terminal.note(
    `${terminal.paint("bold", runTaskTitle(task))}: ${train.steps} steps of ${train.problemsPerStep} problems x ${train.episodesPerProblem} episodes, ${config.own.objective ? referenceTitle(config.own.objective) : train.objective.name}, ${config.workers} threads; run directory ${directory}`,
  );
  return withDashboard(flags.view, { folder: directory, page: "run" }, terminal, async () => {
    const done = await trainRun(config, { directory, resume: flags.resume === true, openSource, spending }, terminal);
    if (spending?.price) terminal.note(`$${spending.account.spentUsd.toFixed(4)} spent on the actor, by the whole run`);
    if (openSource) await reportServed(done, name, flags.json === true, directory, terminal);
    else report(done, config, flags.json === true, directory, terminal);
    if (!flags.view)
      terminal.note(
        `look at it: ${environmentValue("LACONIC_COMMAND") ?? "laconic"} view ${flags.run ?? relative(process.cwd(), directory)}`,
      );
    return exitCodeOf(done);
  });
}

function report(
  done: ReportedRun,
  config: AppConfig,
  json: boolean,
  directory: string,
  terminal: CommandContext["terminal"],
): void {
  const { after, seconds, trainingSeconds, earlierSeconds, device, steps } = done;
  const budget = config.train.budget?.targetTokens ?? null;
  if (done.interrupted)
    terminal.note(`stopped after step ${done.steps}; continue with: laconic train --resume --run ${directory}`);
  if (done.stoppedEarly)
    terminal.note(
      `stopped early after step ${done.steps}: evaluations no longer got better; the best is kept (step ${done.bestStep}, laconic eval ${directory} --best)`,
    );
  terminal.note(`report: ${done.report}`);
  const states = statesOf(done);
  if (json) {
    const { warmStart } = done;
    const all = Object.fromEntries(states.map(([name, evaluation]) => [name, figuresOf(evaluation)]));
    const groups = Object.keys(after.groups ?? {}).map((group) => [
      group,
      Object.fromEntries(
        states.flatMap(([name, { groups: own }]) => (own?.[group] ? [[name, figuresOf(own[group])]] : [])),
      ),
    ]);
    const meaning = warmStart && {
      before: `the model before ${warmStart.said}`,
      afterLessons: "the same model after them, where the training begins",
      after: `after ${steps} steps of training`,
    };
    const rest = {
      ...(meaning && { states: meaning }),
      budget,
      seconds,
      trainingSeconds,
      ...(earlierSeconds > 0 && { earlierSeconds }),
      device,
    };
    terminal.result(JSON.stringify({ ...Object.fromEntries(groups), ...all, ...rest }));
    return;
  }
  const way = (pick: (of: Evaluation) => string): string =>
    states.map(([, evaluation]) => pick(evaluation)).join(" -> ");
  const { tokens } = after;
  const change = done.warmStart
    ? `against the model before lessons ${tokenChange(done.warmStart.before.tokens, tokens, "then")}, after them ${tokenChange(done.before.tokens, tokens, "then")}`
    : tokenChange(done.before.tokens, tokens);
  terminal.result(
    [
      ...(done.warmStart ? [`states    before lessons -> after ${done.warmStart.said} -> after ${steps} steps`] : []),
      `accuracy  ${way(({ accuracy }) => formatPercent(accuracy))} on ${after.problems} held-out problems`,
      ...Object.entries(after.groups ?? {}).map(([name, { problems }]) => {
        const own = ({ groups }: Evaluation, show: (of: Measured) => string): string =>
          groups?.[name] ? show(groups[name]) : "-";
        return [
          `  ${name}: ${way((of) => own(of, ({ accuracy }) => formatPercent(accuracy)))}, ${way((of) => own(of, (each) => formatNumber(each.tokens)))} tokens (${problems} problems)`,
          ...measuredLines(states.map(([, { groups }]) => groups?.[name])).map((line) => `    ${line}`),
        ].join("\n");
      }),
      `tokens    ${way((of) => formatNumber(of.tokens))} per episode, ${change}${budget === null ? "" : ` (budget ${budget})`}`,
      ...measuredLines(states.map(([, evaluation]) => evaluation)),
      timeLine(done),
    ].join("\n"),
  );
}

/** Steps before a resume are told apart: what is said adds up. */
function timeLine({ seconds, trainingSeconds, earlierSeconds, device }: ReportedRun): string {
  const own = Math.max(0, (trainingSeconds ?? 0) - earlierSeconds);
  const steps = `time      ${formatDuration(trainingSeconds ?? 0)} of training steps on ${device}`;
  return earlierSeconds > 0
    ? `${steps}: ${formatDuration(earlierSeconds)} before it was resumed and ${formatDuration(own)} since; ${formatDuration(seconds)} in all since it was resumed`
    : `${steps}; ${formatDuration(seconds)} in all since it was started`;
}

/** By the names of results: `before` is the model as it was given, before lessons where it had some. */
function statesOf({ warmStart, before, after }: ReportedRun): (readonly [name: string, evaluation: Evaluation])[] {
  return [
    ["before", warmStart?.before ?? before],
    ...(warmStart ? [["afterLessons", before] as const] : []),
    ["after", after],
  ];
}

function figuresOf({ accuracy, tokens, measures, language }: Measured): object {
  return { accuracy, tokens, ...(measures && { measures }), ...(language && { language }) };
}

/** Without held-out problems: what the rollouts of the first and the last step earned. */
async function reportServed(
  { steps, interrupted, seconds, trainingSeconds, device, report: page }: ReportedRun,
  name: string,
  json: boolean,
  directory: string,
  terminal: CommandContext["terminal"],
): Promise<void> {
  const rowAt = (place: "first" | "last"): ReturnType<typeof lineAt> =>
    lineAt(nodeFileSystem, join(directory, runFiles.metrics), place);
  const sideOf = (row: Readonly<Record<string, unknown>>): { reward: number; tokens: number } => ({
    reward: Number(row["reward/mean"] ?? 0),
    tokens: Number(row["tokens/episode_mean"] ?? 0),
  });
  const [first, last] = [sideOf((await rowAt("first")) ?? {}), sideOf((await rowAt("last")) ?? {})];
  if (interrupted)
    terminal.note(`stopped after step ${steps}; continue with: laconic ${name} --train --resume --run ${directory}`);
  terminal.note(`report: ${page}`);
  terminal.result(
    json
      ? JSON.stringify({ steps, first, last, seconds, trainingSeconds, device })
      : [
          `reward    ${formatNumber(first.reward)} -> ${formatNumber(last.reward)}, the mean of the first and of the last of ${steps} steps`,
          `tokens    ${formatNumber(first.tokens)} -> ${formatNumber(last.tokens)} per rollout`,
          `time      ${formatDuration(trainingSeconds ?? 0)} of training steps on ${device}, waiting for rollouts included`,
        ].join("\n"),
  );
}

function isFolder(path: string): boolean {
  return statSync(resolve(path), { throwIfNoEntry: false })?.isDirectory() ?? false;
}

async function storedConfig(directory: string, words: readonly string[]): Promise<AppConfig> {
  if (!existsSync(join(directory, runFiles.config)))
    throw new LaconicError("run_missing", `${directory} holds no run to resume`, { directory });
  const settings = await readSettings(nodeFileSystem, directory);
  await checkSources(directory);
  const kept = fromFolder(directory, settings);
  return parseAppConfig(applyOverrides(fromOwnModel(directory, kept), words));
}

function runFolder(name: string, number: number): string {
  return join("runs", number === 1 ? name : `${name}-${number}`);
}

/** The first free `runs/NAME`, `runs/NAME-2`, ... */
function freshRun(name: string): string {
  let number = 1;
  while (existsSync(runFolder(name, number))) number += 1;
  return runFolder(name, number);
}

/** The last `runs/NAME-N` there is. */
function latestRun(name: string): string {
  let number = 1;
  while (existsSync(runFolder(name, number + 1))) number += 1;
  return runFolder(name, number);
}
