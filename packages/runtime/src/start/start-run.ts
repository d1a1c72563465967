import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { disposing, type DisposalStack } from "@laconic/core/async";
import { checkTraining, evaluationSampling, regressionOf, runSpec, train, type TrainResult } from "@laconic/trainer";
import { LaconicError } from "@laconic/core";
import { trainingSeconds } from "@laconic/trainer/reading";
import { openModelFolder, settingsFolders, type ModelFolder } from "../models/model-folder.ts";
import { openFleet, type OpenedFleet } from "../run/open-fleet.ts";
import { measureBeforeWarmStart, startingModel, keepBeforeWarmStart, type BeforeWarmStart } from "../run/warm-start.ts";
import { openParts, openEstimators, type OpenedParts, type Place } from "../run/open-parts.ts";
import type { AppConfig } from "../run/run-settings.ts";
import { keepCalls } from "../spending/spending.ts";
import { during, type TrainingPlan, type TrainingProgress } from "../progress.ts";
import { openFolder, splitOf, type HeldRun, type ReadyRun, type StartOptions } from "./open-folder.ts";
import { chooseDevice } from "../devices/choose-device.ts";
import { checkSources, keepSources } from "../resolver/run-sources.ts";
import { checkRun } from "../run/check-run.ts";
import { expectFit } from "../run/plan-models.ts";
import { checkAgainstServer } from "../run/check-servers.ts";
import { probedServer, recordLines, tokenLimits } from "../run/tinker-server.ts";
import { pinnedRunTask } from "../run/run-task.ts";
import { withSource } from "../resolver/open-train.ts";
import { sharingValues } from "../resolver/shared-values.ts";
import { findOpponentRuns } from "../run/other-runs.ts";
import { runResources } from "../run/open-run.ts";
import { withExamples } from "../run/supervised-examples.ts";

/** A running training and its folder. */
export interface StartedRun extends TrainResult {
  /** Team before the warm start; null without one. `before` is then the team after it. */
  readonly warmStart: BeforeWarmStart | null;
  /** Signal that interrupted the run, or null. */
  readonly signal: NodeJS.Signals | null;
  /** Seconds of this process: steps, evaluations and files. */
  readonly seconds: number;
  /** Seconds of the run's steps in all processes. */
  readonly trainingSeconds: number | null;
  /** Part of `trainingSeconds` before the resume; 0 for a new run. */
  readonly earlierSeconds: number;
  readonly device: string;
  /** Split of the evaluations: `test` for a task without validation problems. */
  readonly split: TrainingPlan["split"];
}

/**
 * Trains into a run folder, created after all checks. The first interrupt finishes the step and saves.
 * @throws LaconicError as checking, opening and training do
 */
export function startRun(appConfig: AppConfig, options: StartOptions): Promise<StartedRun> {
  return sharingValues(
    (message) => options.progress.warn(message),
    () => checkAndTrain(appConfig, options),
  );
}

async function checkAndTrain(appConfig: AppConfig, options: StartOptions): Promise<StartedRun> {
  const { directory, resume, progress } = options;
  const isServed = options.openSource !== undefined;
  const { result, begun, ...trained } = await disposing(async (closing) => {
    // Refuses a resume with the file's name; otherwise `openRun` reports the differences.
    if (resume === true) await checkSources(directory);
    const { models, team } = await checkRun(appConfig, progress, { served: isServed });
    // Weights stay on the hub if a server has them.
    const modelFolder = await openModelFolder(appConfig.model, progress, { weights: appConfig.engine === null });
    const location = await during(progress, "trying devices", () =>
      choosePlace(appConfig, modelFolder.folder, models, progress),
    );
    if (!("kind" in location)) await expectFit(appConfig, team, location, settingsFolders(progress));
    const { config, warmStart } = await startingConfig(appConfig, modelFolder, location, options);
    const { opened, stop } = await openModels(config, location, options, closing);
    const fleet = await openSamplers(opened, config, modelFolder.folder, options);
    if (fleet) closing.defer(() => fleet.close());
    const sampled = fleet ? { ...opened, parts: { ...opened.parts, policies: fleet.policies } } : opened;
    const ready = { config, location, opened: sampled, fleet, warmStart, options, closing };
    const held = await openFolder(ready);
    return { result: await trainHeld(ready, held, stop), ...ready, ...held, stop };
  });
  const seconds = (performance.now() - begun) / 1000;
  const decline = regressionOf(result.before, result.after);
  if (decline !== null) progress.warn(`at the end, after step ${result.steps}, ${decline}`);
  const { opened, warmStart, stop, firstStep } = trained;
  return {
    ...result,
    warmStart,
    signal: stop.aborted ? (stop.reason as NodeJS.Signals) : null,
    seconds,
    device: opened.engine.capabilities.device,
    split: splitOf(opened.task),
    trainingSeconds: await trainingSeconds(directory),
    // Counts all seconds as earlier if no steps were left.
    earlierSeconds: (await trainingSeconds(directory, firstStep() ?? Infinity)) ?? 0,
  };
}

async function choosePlace(
  config: AppConfig,
  modelFolder: string,
  models: number,
  progress: TrainingProgress,
): Promise<Place> {
  const { engine, device, workers } = config;
  if (!engine) return chooseDevice(device, workers, progress.note, config);
  const { vocabularySize } = await tokenLimits(modelFolder);
  const server = await probedServer(engine.tinker, vocabularySize, progress);
  progress.note(recordLines(server.record).join("\n"));
  checkAgainstServer(config, server.record, models);
  return server;
}

/** Returns the configuration to store. Warm-starts the model if configured, and evaluates the team before it. */
async function startingConfig(
  appConfig: AppConfig,
  modelFolder: ModelFolder,
  location: Place,
  { directory, progress }: StartOptions,
): Promise<{ readonly config: AppConfig; readonly warmStart: BeforeWarmStart | null }> {
  const pinned = { ...appConfig, task: await pinnedRunTask(appConfig.task), model: modelFolder.pinned };
  if ("kind" in location)
    return { config: { ...pinned, warmStart: null, engine: { tinker: location.settings } }, warmStart: null };
  const { settings, record } = await startingModel(appConfig, modelFolder, location, directory, progress);
  // Resolves `auto`, so that a resume on other hardware is refused instead of rounding differently.
  const config = { ...pinned, ...settings, device: location.name, workers: location.workers };
  return { config, warmStart: record && (await measureBeforeWarmStart(config, record, location, directory, progress)) };
}

/** Opens engine, models and task. Interrupts save from here on. */
async function openModels(
  config: AppConfig,
  location: Place,
  { directory, progress, interrupts, spending = null }: StartOptions,
  closing: DisposalStack,
): Promise<{ readonly opened: OpenedParts; readonly stop: AbortSignal }> {
  const { engine, device, sampler, chatTemplateArguments: templateArguments } = config;
  const { opponents } = config.train;
  const resources = await runResources(config.model, progress, { weights: engine === null });
  const activity = engine ? "opening the models on the server" : `loading the model on ${device}`;
  const begun = await during(progress, activity, () =>
    openParts(config, location, {
      ...resources,
      ...(opponents && { opponents: (tokenizerOf) => findOpponentRuns(opponents, tokenizerOf, progress) }),
      journal: join(directory, "tinker.jsonl"),
      spending,
      // Servers batch requests themselves.
      ...(sampler && { batching: "continuous" }),
    }),
  );
  closing.defer(() => begun.close());
  const opened = await withExamples(begun, config, progress);
  const listening = interrupts();
  closing.defer(() => listening.dispose());
  try {
    checkTraining(opened.parts, opened.train);
    const models = { ...opened, ...resources, templateArguments };
    const settings = await openEstimators(opened.train, opened.parts.policies, models);
    return { opened: { ...opened, train: settings }, stop: listening.signal };
  } catch (error) {
    throw withSource(error, config);
  }
}

async function openSamplers(
  { parts }: OpenedParts,
  config: AppConfig,
  modelFolder: string,
  { directory, progress }: StartOptions,
): Promise<OpenedFleet | null> {
  const { sampler } = config;
  if (!sampler) return null;
  const { vocabularySize } = await tokenLimits(modelFolder);
  const { temperature } = evaluationSampling(config.train);
  const note = (text: string): void => progress.note(text);
  return openFleet(sampler, parts.policies, { directory, vocabularySize, temperature, note });
}

async function trainHeld(
  { config, location, opened, fleet, warmStart, options, closing }: ReadyRun,
  { sources, run, end }: HeldRun,
  stop: AbortSignal,
): Promise<TrainResult> {
  const { directory, resume, progress, spending = null, openSource } = options;
  try {
    if (spending) {
      const calls = await keepCalls(directory, spending.account);
      closing.defer(() => calls.close());
    }
    await keepSources(directory, sources);
    if (warmStart) await keepBeforeWarmStart(directory, warmStart);
    const source = await openSource?.(opened, { config, directory, resume: resume !== false });
    if (source) closing.defer(() => source.close());
    progress.started();
    const spec = runSpec({ ...(source?.parts ?? opened.parts), settings: opened.train });
    const result = await train(spec, { recorder: run, signal: stop });
    end(result.interrupted ? "interrupted" : "finished");
    return result;
  } catch (error) {
    const isSpent = spending !== null && LaconicError.is(error) && error.code === "budget_refused";
    await progress.failed(error, { directory, isKept: "kind" in location || fleet !== null || isSpent });
    throw withSource(error, config);
  } finally {
    progress.ended();
  }
}
