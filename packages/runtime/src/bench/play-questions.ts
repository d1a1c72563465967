import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { benchmarkNamed, trainingSplits } from "@laconic/benchmarks";
import { configError, present, type LanguageModel } from "@laconic/core";
import { visibleText } from "@laconic/core/text";
import type { SampleRecord } from "@laconic/evaluation";
import {
  inBenchFolder,
  makeBenchFolder,
  paidModels,
  playBench,
  prepareBench,
  questionRecords,
  settingsFile,
  describeSeen,
  seenByTeam,
  seenFile,
  skippedFile,
  type BenchConfig,
  type OpenModel,
  type PreparedBench,
  type SeenByTeam,
  type TrainedTeam,
} from "@laconic/evaluation/bench";
import type { HubEnvironment } from "@laconic/hub";
import type { ApiEvent, Limiter, SpendAccount } from "@laconic/openai";
import { codeGrader, createSandbox, gradingLimits, programRunner } from "@laconic/sandbox";
import {
  dealSeed,
  dealTo,
  benchmarkTeam,
  openTeamTexts,
  teamDefaults,
  type BenchmarkTaskSettings,
  type TeamForms,
  type TextTeam,
} from "@laconic/tasks/text";
import { familyOf, type Baseline } from "@laconic/baselines";
import type { TokenPrice } from "@laconic/core/ledger";
import { learnedOf, livePolicies, modelsOf, withLearned, evaluationSampling, isNamedBudget } from "@laconic/trainer";
import { keepBenchMade, openOwnBoards, openOwnMethods } from "./own-values.ts";
import type { TaskLimits } from "./play-tasks.ts";
import { dataFolder, environmentValue } from "../folders/folders.ts";
import type { Progress } from "../progress.ts";
import { fromFolder, keepSources, sourcesOf } from "../resolver/run-sources.ts";
import { checkPriced, openAccount, knownPrice, type Spending } from "../spending/spending.ts";
import { openModelFolder } from "../models/model-folder.ts";
import { isReference } from "../resolver/reference.ts";
import { closeAtEnd } from "../resolver/shared-values.ts";
import { actorChoice } from "../run/other-runs.ts";
import { findRun, openFoundRun, trustedRun, type FoundRun } from "../run/open-run.ts";
import type { AppConfig } from "../run/run-settings.ts";
import { openRunTask, runTaskTitle, withTeams } from "../run/run-task.ts";

/** Sources of a bench's questions. */
export interface QuestionSources {
  readonly hub: HubEnvironment;
  readonly folder: string | undefined;
  readonly offline: boolean;
}

/** Limits of a bench over questions. */
export interface QuestionLimits extends TaskLimits {
  /** Allows sending the key over http to other machines. */
  readonly insecure: boolean;
  /** @returns called for each sample */
  readonly onStart: (samples: number, account: SpendAccount) => (record: SampleRecord) => void;
}

/** Questions of a bench, ready to be played. */
export type PreparedQuestions = PreparedBench<TrainedTeam<Omit<Spending, "price">>>;

/** Loads and checks the questions of a bench. */
export async function prepareQuestions(
  config: BenchConfig,
  directory: string,
  { hub, folder, offline }: QuestionSources,
  progress: Progress,
): Promise<PreparedQuestions> {
  const prepared = await prepareBench(config, {
    trainedTeam: (name, run) =>
      trainedTeam(name, run, progress, {
        actor: config.actor,
        actorPrice: config.actorPrice,
        ownBoards: config.benchmarks.length === 0 && config.data === null,
      }),
    ownMethods: await openOwnMethods(config.own, directory),
    ownBoards: await openOwnBoards(config.own, directory),
    open: (name) => ({
      folder: dataFolder(folder),
      hub,
      offline,
      onProgress: progress.download(benchmarkNamed(name).name),
    }),
    hub,
    partitioner: { seed: dealSeed, dealTo },
    note: progress.note,
  });
  for (const { price, model, flag } of paidModels(prepared)) checkPriced(price, model, flag);
  if (config.actorPrice !== null && prepared.teams.every(({ asksServer }) => !asksServer))
    throw configError("--actor-price: no trained team has an actor on a server", { flag: "actor-price" });
  return prepared;
}

/** Stores the inputs of a new bench, so that it can resume. */
export async function keepQuestions(
  directory: string,
  { config, skipped }: PreparedQuestions,
  isNew: boolean,
  progress: Progress,
): Promise<void> {
  await makeBenchFolder(directory);
  if (isNew) {
    await writeFile(join(directory, settingsFile), `${JSON.stringify(config, null, 2)}\n`);
    await keepSources(directory, await sourcesOf(fromFolder(directory, config.own)));
    await keepBenchMade(directory, config, progress);
  }
  await skippedFile.write(directory, skipped);
}

/** Runs missing and failed samples. @returns reason for an early stop, otherwise null */
export function playQuestions(
  directory: string,
  prepared: PreparedQuestions,
  { insecure, maxErrors, interrupts, onStart, ...deadline }: QuestionLimits,
  progress: Progress,
): Promise<string | null> {
  const { config, teams } = prepared;
  const { concurrency, maxUsd } = config;
  const note = (text: string): void => progress.note(text);
  const open = (spentUsd: number): ReturnType<typeof openAccount> => openAccount(directory, maxUsd, spentUsd, progress);
  return inBenchFolder(directory, questionRecords, open, async (file, account) => {
    const { signal, dispose } = interrupts();
    try {
      // Teams have separate models while open.
      const seen: SeenByTeam[] = [];
      for (const team of teams)
        seen.push(...seenByTeam(team.method.name, await team.open({ account, ...deadline }), prepared.jobs));
      for (const warning of describeSeen(seen)) progress.warn(warning);
      await seenFile.write(directory, seen);
      const openModel = await opener(config, { account, insecure, ...deadline }, note);
      const { Limiter: RequestLimiter } = await import("@laconic/openai");
      const limiter = new RequestLimiter({ start: Math.min(20, concurrency), max: Math.max(64, concurrency) });
      const { stopped } = await playBench(directory, prepared, file, {
        model: openModel(config, limiter),
        openModel,
        environment: environmentValue,
        openSandbox: async () => {
          const sandbox = await createSandbox({ limits: gradingLimits });
          return { code: codeGrader(sandbox), runProgram: programRunner(sandbox), close: () => sandbox.close() };
        },
        maxErrors,
        signal,
        onStart: (samples) => onStart(samples, account),
        note,
      });
      return stopped;
    } finally {
      dispose();
      for (const team of teams) await team.close();
    }
  });
}

async function opener(
  { model: name }: BenchConfig,
  shared: { readonly account: SpendAccount; readonly insecure: boolean } & Pick<Spending, "deadlineMs">,
  note: (text: string) => void,
): Promise<(named: Parameters<OpenModel>[0], limiter?: Limiter) => LanguageModel> {
  // The SDK takes 0.1 s to load.
  const { openAiModel } = await import("@laconic/openai");
  const onEvent = (event: ApiEvent): void => {
    if (event.kind === "end-unknown")
      note(`${name} ended a reply by ${visibleText(event.reason)}, which is unknown: such replies count as truncated`);
    if (event.kind !== "ceiling-ignored") return;
    const { completionTokens, maxTokens } = event;
    note(`${name} wrote ${completionTokens} tokens, more than the requested ${maxTokens}: costs exceed the plan's`);
  };
  return ({ model, baseUrl, price, apiKey }, limiter) =>
    openAiModel({ ...shared, onEvent, model, baseUrl, ...present({ limiter, price, apiKey }) });
}

/** `replyTokens` is the max of one reply; absent if unknown. */
type QuestionTeam = Pick<Baseline, "create" | "deal" | "dealt" | "maxCalls"> & { readonly replyTokens?: number };

interface TrainedTeamChoice {
  readonly actor?: string | null;
  /** Price of the actor; null for the public one. */
  readonly actorPrice?: TokenPrice | null;
  /** Whether all benchmarks are modules, which may be of the team's world. */
  readonly ownBoards?: boolean;
}

/**
 * Opens a run's team for questions, with the last checkpoint.
 * @throws LaconicError `run_missing`; `config_invalid` for a team that answers only its own problems
 */
export async function trainedTeam(
  name: string,
  run: string,
  progress: Progress,
  { actor: actorText = null, actorPrice = null, ownBoards = false }: TrainedTeamChoice = {},
): Promise<TrainedTeam<Omit<Spending, "price">>> {
  checkAnswers((await trustedRun(resolve(run))).config, run, ownBoards);
  const foundRun = await findRun(resolve(run));
  const { directory, config, state } = foundRun;
  const team = await questionTeam(foundRun, progress);
  const actor = actorText === null ? null : await actorChoice(actorText, progress);
  const swapped = actor ? `, actor ${actor.title}` : "";
  const models: Record<string, LanguageModel> = {};
  const prices: Record<string, TokenPrice | null> = {};
  let closed: () => Promise<void> = async () => undefined;
  const speaks = actor?.speaks ?? config.actor;
  const api = speaks !== null && "api" in speaks ? speaks.api : null;
  const price = api ? (actorPrice ?? (await knownPrice(api.model))) : null;
  return {
    asksServer: api !== null,
    unpriced: api && !price ? api.model : null,
    scored: scoredSplit(config),
    method: {
      name,
      title: name,
      temperature: evaluationSampling(config.train).temperature,
      identity: `${directory}@${state.step}${swapped}`,
      models,
      prices,
      ...team,
    },
    async open(booked) {
      const { parts, close } = await openFoundRun(foundRun, progress, {
        testProblems: 0,
        ...(actor && { actor: actor.speaks }),
        spending: { ...booked, price },
      });
      // Local models have no price.
      if (api)
        Object.assign(prices, Object.fromEntries(Object.keys(parts.frozen ?? {}).map((agent) => [agent, price])));
      Object.assign(models, modelsOf(parts, livePolicies(parts)));
      closed = close;
      return parts.task.pool ?? [];
    },
    close: () => closed(),
  };
}

/** Split without training questions, where it is not the benchmark's default. */
export function scoredSplit({ task }: Pick<AppConfig, "task">): TrainedTeam["scored"] {
  if (isReference(task) || task.name !== "benchmark" || task.file !== undefined) return null;
  const benchmark = benchmarkNamed(task.benchmark);
  const { test } = trainingSplits(benchmark, task.split);
  return test === benchmark.defaultSplit ? null : { benchmark: task.benchmark, split: test };
}

function checkAnswers({ task }: AppConfig, run: string, ownBoards: boolean): void {
  if (isReference(task) || ["benchmark", "data"].includes(task.name)) return;
  if (ownBoards && task.name !== "gateway") return;
  throw configError(
    `${run}: a team trained on ${task.name} cannot answer benchmarks; give problems of its world with --benchmarks ./board.ts`,
    { run },
  );
}

async function questionTeam(foundRun: FoundRun, progress: Progress): Promise<QuestionTeam> {
  const { task, train } = foundRun.config;
  if (isReference(task) || (task.name !== "benchmark" && task.name !== "data")) return ownTeam(foundRun, progress);
  const { rounds, replyTokens, actorTokens } = { ...teamDefaults, ...task };
  const settings = (await withTeams(task)) as BenchmarkTaskSettings;
  const teamFor = (forms: Omit<TeamForms, "targetTokens">): TextTeam =>
    benchmarkTeam(settings, {
      ...forms,
      targetTokens: isNamedBudget(train.budget) ? train.budget.targetTokens : undefined,
    });
  const { topology, holders } = teamFor({ answerForm: "", read: (reply) => reply });
  const { team, benchmark: trainedOn, prompts } = settings;
  const textsOf =
    prompts === "published"
      ? await openTeamTexts(team, dataFolder(), {
          benchmark: trainedOn,
          family: familyOf(benchmarkNamed(trainedOn).answer.kind),
        })
      : null;
  return {
    replyTokens: Math.max(replyTokens, actorTokens),
    create: (asked) => {
      const { answerForm, reader, family, benchmark } = asked;
      return teamFor({
        answerForm,
        read: (reply) => reader.read(reply),
        same: (a, b) => reader.same(a, b),
        ...present({ family, benchmark }),
        texts: textsOf?.(asked),
      }).topology;
    },
    // Dealt as in training.
    ...(holders.length > 0 && { deal: dealTo(holders), dealt: { seed: dealSeed, holders } }),
    maxCalls: () => topology.agents.length * rounds,
  };
}

/** Opens a team of a module or world unchanged: its prompts have the answer format. */
async function ownTeam({ config, state }: FoundRun, progress: Progress): Promise<QuestionTeam> {
  const { folder } = await openModelFolder(config.model, progress);
  const task = await openRunTask(config.task, {
    testProblems: 0,
    modelFolder: folder,
    templateArguments: config.chatTemplateArguments,
  });
  // The topology may use the task's resources.
  closeAtEnd(task, runTaskTitle(config.task));
  const { topology } = withLearned({ task }, learnedOf(state)).task;
  const turns = config.train.limits.maxTurns ?? topology.agents.length;
  return { create: () => topology, maxCalls: () => turns };
}
