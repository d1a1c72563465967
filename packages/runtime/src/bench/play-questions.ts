import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { benchmarkNamed } from "@laconic/benchmarks";
import { LaconicError, type LanguageModel } from "@laconic/core";
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
  writeSeen,
  writeSkipped,
  type BenchConfig,
  type OpenModel,
  type PreparedBench,
  type SeenByTeam,
  type TrainedTeam,
} from "@laconic/evaluation/bench";
import type { HubEnvironment } from "@laconic/hub";
import type { ApiEvent, Limiter, SpendAccount } from "@laconic/openai";
import { codeGrader, createSandbox, gradingLimits, programRunner } from "@laconic/sandbox";
import { dealSeed, dealTo } from "@laconic/tasks/text";
import { keepBenchMade } from "./bench-trust.ts";
import { openOwnBoards, openOwnMethods } from "./own-values.ts";
import type { TaskLimits } from "./play-tasks.ts";
import { trainedTeam } from "./trained-team.ts";
import { dataFolder } from "../folders/data-folder.ts";
import { environmentValue } from "../folders/environment.ts";
import type { Progress } from "../progress.ts";
import { fromFolder, keepSources, sourcesOf } from "../resolver/run-sources.ts";
import { checkPriced } from "../spending/actor-spending.ts";
import { openAccount } from "../spending/kept-account.ts";
import type { Spending } from "../spending/spending.ts";

/** Where a bench's questions come from. */
export interface QuestionSources {
  readonly hub: HubEnvironment;
  readonly folder: string | undefined;
  readonly offline: boolean;
  /** Nothing will be asked. */
  readonly plan?: boolean;
}

/** How far a bench of questions may go, and who looks. */
export interface QuestionLimits extends TaskLimits {
  /** The key may go over http to another machine. */
  readonly insecure: boolean;
  /** @returns hears every sample */
  readonly onStart: (samples: number, account: SpendAccount) => (record: SampleRecord) => void;
}

/** A bench of questions, opened. */
export type PreparedQuestions = PreparedBench<TrainedTeam<Omit<Spending, "price">>>;

/** Opens what a bench is made of, and refuses what has no effect or no price. */
export async function prepareQuestions(
  config: BenchConfig,
  directory: string,
  { hub, folder, offline, plan = false }: QuestionSources,
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
    plan,
    partitioner: { seed: dealSeed, dealTo },
    note: (text) => progress.note(text),
  });
  for (const { price, model, flag } of paidModels(prepared)) checkPriced(price, model, flag);
  if (config.actorPrice !== null && prepared.teams.every(({ asksServer }) => !asksServer))
    throw new LaconicError("config_invalid", "--actor-price: no trained team's actor is behind a server", {
      flag: "actor-price",
    });
  return prepared;
}

/** Writes what a new bench is made of into its directory: from there it can go on. */
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
  await writeSkipped(directory, skipped);
}

/** Takes the samples that are missing or failed. Returns why it stopped before its end; null when it did not. */
export function playQuestions(
  directory: string,
  prepared: PreparedQuestions,
  { insecure, maxErrors, interrupts, onStart, ...deadline }: QuestionLimits,
  progress: Progress,
): Promise<string | null> {
  const { config, teams } = prepared;
  const note = (text: string): void => progress.note(text);
  const account = (spentUsd: number): ReturnType<typeof openAccount> =>
    openAccount(directory, config.maxUsd, spentUsd, progress);
  return inBenchFolder(directory, questionRecords, account, async (file, booked) => {
    const { signal, dispose } = interrupts();
    try {
      // Models of their own, for as long as they are used.
      const seen: SeenByTeam[] = [];
      for (const team of teams)
        seen.push(...seenByTeam(team.method.name, await team.open({ account: booked, ...deadline }), prepared.jobs));
      for (const warning of describeSeen(seen)) progress.warn(warning);
      await writeSeen(directory, seen);
      const openModel = await opener(config, { account: booked, insecure, ...deadline }, note);
      const { Limiter: RequestLimiter } = await import("@laconic/openai");
      const { concurrency } = config;
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
        onStart: (samples) => onStart(samples, booked),
        note,
      });
      return stopped;
    } finally {
      dispose();
      for (const team of teams) await team.close();
    }
  });
}

/** Models of servers, whose calls are booked together. */
async function opener(
  { model: name }: BenchConfig,
  shared: { readonly account: SpendAccount; readonly insecure: boolean } & Pick<Spending, "deadlineMs">,
  note: (text: string) => void,
): Promise<(named: Parameters<OpenModel>[0], limiter?: Limiter) => LanguageModel> {
  // Loaded where it is used: the SDK takes a tenth of a second, which every other command would pay.
  const { openAiModel } = await import("@laconic/openai");
  const onEvent = (event: ApiEvent): void => {
    if (event.kind === "end-unknown")
      note(
        `${name} ended a reply by ${visibleText(event.reason)}, which is not known: such replies count as truncated`,
      );
    if (event.kind !== "ceiling-ignored") return;
    const { completionTokens, maxTokens } = event;
    note(`${name} wrote ${completionTokens} tokens where ${maxTokens} were asked for: costs pass the plan's`);
  };
  return ({ model, baseUrl, price, apiKey }, limiter) =>
    openAiModel({
      ...shared,
      onEvent,
      model,
      baseUrl,
      ...(limiter && { limiter }),
      ...(price && { price }),
      ...(apiKey !== undefined && { apiKey }),
    });
}
