import { performance } from "node:perf_hooks";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { execFile } from "node:child_process";
import { cpus, release, totalmem, type } from "node:os";
import { promisify } from "node:util";
import {
  openRun,
  isNamedRate,
  type MetricSink,
  type Run,
  type RunOptions,
  type SinkOutcome,
  type TrainingParts,
} from "@laconic/trainer";
import { secretsIn, tensorBoardSink, wandbSink, withoutSecrets } from "@laconic/trainer/sinks";
import type { Engine, EngineCapabilities } from "@laconic/core";
import { inFolder, sourceInputs, sourcesOf } from "../resolver/run-sources.ts";
import { writtenConfig } from "../run/app-config.ts";
import { keepMade, madeFolder, trainingServers } from "../run/check-trust.ts";
import { policyTask } from "../run/check-run.ts";
import { modelFolders } from "../run/policy-models.ts";
import { serversOf, type SamplerSettings } from "../run/server-settings.ts";
import { fleetMeasures, serversInShort, type OpenedFleet } from "../run/open-fleet.ts";
import { withOwnModel } from "../models/own-model.ts";
import { recordInputs } from "../run/tinker-server.ts";
import { opponentFolders } from "../run/other-runs.ts";
import { modelInputs, runInputs, valueRole } from "../run/open-run.ts";
import type { AppConfig, OwnSinkPlace, SinkSetting } from "../run/run-settings.ts";
import { seenProblems, seenWarnings } from "../run/run-task.ts";
import type { BeforeWarmStart } from "../run/warm-start.ts";
import type { OpenedParts, Place } from "../run/open-parts.ts";
import type { DisposalStack } from "@laconic/core/async";
import { resolveReference, type SourceFiles } from "../resolver/load-source.ts";
import type { Spending } from "../spending/spending.ts";
import type { TrainingPlan, TrainingProgress } from "../progress.ts";
import { isReference, referenceTitle } from "../resolver/reference.ts";
import packageJson from "../../package.json" with { type: "json" };

interface OpenedSource {
  readonly parts: TrainingParts;
  close(): Promise<void>;
}

/** Called when the run folder is locked. */
export type OpenSource = (
  opened: OpenedParts,
  run: { readonly config: AppConfig; readonly directory: string; readonly resume: boolean },
) => Promise<OpenedSource>;

/** After an interrupt, a run finishes its step and saves. The abort reason is a signal's name. */
export interface Interrupts {
  readonly signal: AbortSignal;
  dispose(): void;
}

/** Options of a started run. */
export interface StartOptions {
  readonly directory: string;
  readonly resume: Exclude<RunOptions["resume"], undefined>;
  readonly progress: TrainingProgress;
  /** Called when models are open; earlier interrupts end the process. */
  readonly interrupts: () => Interrupts;
  readonly openSource?: OpenSource | undefined;
  readonly spending?: Spending | null;
}

export interface ReadyRun {
  readonly config: AppConfig;
  readonly location: Place;
  readonly opened: OpenedParts;
  readonly fleet: OpenedFleet | null;
  readonly warmStart: BeforeWarmStart | null;
  readonly options: StartOptions;
  readonly closing: DisposalStack;
}

export interface HeldRun {
  readonly run: Run;
  readonly sources: SourceFiles;
  /** First step of this process; null before it. */
  readonly firstStep: () => number | null;
  /** Start in monotonic milliseconds. */
  readonly begun: number;
  readonly end: (outcome: SinkOutcome) => void;
}

export async function openFolder({ config, location, opened, fleet, options, closing }: ReadyRun): Promise<HeldRun> {
  const { directory, resume, progress, openSource } = options;
  const { engine, task, valueModels, opponentRuns } = opened;
  const { train } = config;
  const sources = await sourcesOf({ ...config, sinks: [] }); // sinks do not affect the result
  const valueFolders = Object.fromEntries(Array.from(valueModels, ([name, folder]) => [`${valueRole}${name}`, folder]));
  const inputs = {
    ...(await runInputs(await modelFolders(config, progress), task)),
    ...(await modelInputs(valueFolders)),
    ...(await modelInputs(opponentFolders(opponentRuns))),
    ...sourceInputs(directory, sources),
    ...("kind" in location && recordInputs(location.record)),
  };
  const world = policyTask(config.task);
  const seen = seenProblems(task);
  const settings = withOwnModel(directory, inFolder(directory, writtenConfig(config)));
  await keepMade(madeFolder(directory, settings, inputs), settings, trainingServers(config), progress);
  const sinks = await openSinks(config.sinks, directory);
  const begun = performance.now();
  const received: { firstStep: number | null; outcome: SinkOutcome } = { firstStep: null, outcome: "failed" };
  const run = await openRun({
    directory,
    resume,
    config: settings,
    environment: {
      ...(await describeEnvironment(engine.capabilities)),
      ...(task.about !== undefined && { about: task.about }),
      ...("kind" in location && { server: location.record }),
      ...(fleet && { samplers: fleet.record }),
      ...(Object.keys(seen).length > 0 && { seenInTraining: seen }),
    },
    inputs,
    adjustable: adjustableOf(config),
    ...(world !== null && { policy: { task: world } }),
    keepCheckpoints: train.checkpoint.keep,
    now: () => performance.now(),
    sinks,
    measures: async () => ({ ...(await memoryMeasures(engine)), ...(fleet && fleetMeasures(fleet.servers())) }),
    ...(fleet && { replies: () => fleet.takeReplies() }),
    observer: {
      step(metrics) {
        received.firstStep ??= metrics["step"]!;
        progress.step(metrics, fleet && serversInShort(fleet.servers()));
      },
      evaluation: (evaluation) => progress.evaluation(evaluation),
      test: (evaluation) => progress.test?.(evaluation),
      warning: progress.warn,
    },
  });
  closing.defer(() => run.close(received.outcome));
  if (resume === true && !run.isResumed) progress.note(`${directory} has no checkpoint: the run begins at step 0`);
  for (const warning of seenWarnings(seen)) await run.warn(warning);
  fleet?.listen(
    ({ message, ...details }) =>
      void run.warnOfServer(message, details).catch((error: unknown) => progress.warn((error as Error).message)),
  );
  progress.opened({
    steps: train.steps,
    problemsPerStep: train.problemsPerStep,
    episodesPerProblem: train.episodesPerProblem,
    split: splitOf(task),
    problems: Math.min(train.evaluation.problems, (task.validation ?? task.testProblems).length),
    evaluateEvery: train.evaluation.every,
    isResumed: run.isResumed,
    isServed: openSource !== undefined,
  });
  const end = (outcome: SinkOutcome): void => void (received.outcome = outcome);
  return { run, sources, begun, end, firstStep: () => received.firstStep };
}

export function splitOf({ validation }: { readonly validation?: unknown }): TrainingPlan["split"] {
  return validation ? "validation" : "test";
}

/** Memory in GiB. */
async function memoryMeasures({ deviceBytes }: Engine): Promise<Record<string, number>> {
  const gib = 2 ** 30;
  const used = (await deviceBytes?.()) ?? null;
  return {
    "perf/process_memory_gib": process.memoryUsage.rss() / gib,
    ...(used !== null && { "perf/device_memory_gib": used / gib }),
  };
}

function adjustableOf({ train, sampler, engine }: AppConfig): NonNullable<RunOptions["adjustable"]> {
  return {
    "train.steps": scheduleNote(train),
    sinks: "",
    ...(sampler && samplerAdjustable(sampler)),
    ...(engine && {
      "engine.tinker.url": ": its server has the run's checkpoints under the same names, or loads none",
    }),
  };
}

/** A resume may use other and more servers. */
function samplerAdjustable(sampler: SamplerSettings): Record<string, string> {
  const { kind } = serversOf(sampler);
  const keys = ["urls", "folder", "folderAtServers", "receivers", "concurrency", "replySeconds", "patienceSeconds"];
  return Object.fromEntries(keys.map((key) => [`sampler.${kind}.${key}`, ""]));
}

function scheduleNote({ optimizer, policies }: AppConfig["train"]): string {
  const schedules = [optimizer.learningRate, ...Object.values(policies).flatMap((value) => value.learningRate ?? [])];
  if (schedules.every((rate) => isNamedRate(rate) && rate.decay === "constant")) return "";
  return ": the learning rate now follows the schedule of the new length, unlike a fresh run of that length";
}

/**
 * Opens sinks without secrets of the environment.
 * @throws LaconicError `config_invalid` for a user's value that is not a sink
 */
export async function openSinks(settings: readonly SinkSetting[], directory: string): Promise<MetricSink[]> {
  const secrets = secretsIn(process.env);
  return Promise.all(
    settings.map(async (setting) => {
      const sink = await openSink(setting, directory);
      return withoutSecrets(sink, secrets, isReference(setting) ? referenceTitle(setting) : undefined);
    }),
  );
}

async function openSink(setting: SinkSetting, directory: string): Promise<MetricSink> {
  if (isReference(setting)) {
    const ownSinkPlace: OwnSinkPlace = { directory };
    return (await resolveReference(setting, "sink", ownSinkPlace)) as MetricSink;
  }
  const wallTime = (): number => new Date().getTime() / 1000;
  if (setting === "tensorboard") return tensorBoardSink({ directory: join(directory, "tensorboard"), wallTime });
  const { project, entity = process.env["WANDB_ENTITY"] } = setting === "wandb" ? {} : setting.wandb;
  return wandbSink({
    directory: join(directory, "wandb"),
    project: project ?? process.env["WANDB_PROJECT"] ?? "laconic",
    ...(entity !== undefined && { entity }),
    newId: () => randomUUID().replaceAll("-", "").slice(0, 8),
    wallTime,
  });
}

async function describeEnvironment(capabilities: EngineCapabilities): Promise<Record<string, unknown>> {
  return {
    laconic: packageJson.version,
    node: process.version,
    system: `${type()} ${release()} ${process.arch}`,
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryBytes: totalmem(),
    engine: capabilities,
    revision: await gitRevision(),
  };
}

/** Git revision; null outside a checkout. */
async function gitRevision(): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)("git", ["rev-parse", "HEAD"], {
      cwd: import.meta.dirname,
      timeout: 2000,
    });
    return stdout.trim();
  } catch {
    return null;
  }
}
