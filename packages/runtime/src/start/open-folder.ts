import { performance } from "node:perf_hooks";
import { openRun, type RunOptions, type SinkOutcome, isNamedRate } from "@laconic/trainer";
import { inFolder, sourceInputs, sourcesOf } from "../resolver/run-sources.ts";
import { writtenConfig } from "../run/app-config.ts";
import { keepMade, madeFolder, trainingServers } from "../run/check-trust.ts";
import { modelFolders } from "../run/model-folders.ts";
import { describeEnvironment } from "../run/environment.ts";
import { serversOf, type SamplerSettings } from "../run/fleet/fleet-setting.ts";
import { fleetMeasures, serversInShort } from "../run/fleet/open-fleet.ts";
import { withOwnModel } from "../models/own-model.ts";
import { policyTask } from "../run/policy-task.ts";
import { recordInputs } from "../run/remote/tinker-server.ts";
import { opponentFolders } from "../run/opponent-runs.ts";
import { inputsOfRun, modelInputs, runInputs, valueRole } from "../run/run-inputs.ts";
import type { AppConfig } from "../run/run-settings.ts";
import { seenProblems, seenWarnings } from "../run/seen-problems.ts";
import { openSinks } from "../sinks/open-sinks.ts";
import type { Held, Sampled } from "./run-context.ts";

/** Opens the run directory, for this process alone. */
export async function openFolder(sampled: Sampled): Promise<Held> {
  const { config, place, directory, resume, progress, fleet, closing, openSource } = sampled;
  const { engine, task, valueModels } = sampled.opened;
  const { train } = config;
  const sources = await sourcesOf({ ...config, sinks: [] }); // what is shown elsewhere changes nothing of it
  const valueFolders = Object.fromEntries(Array.from(valueModels, ([name, folder]) => [`${valueRole}${name}`, folder]));
  const inputs = {
    ...(await inputsOfRun(directory, {
      ...(await runInputs(await modelFolders(config, progress), task)),
      ...(await modelInputs(valueFolders)),
    })),
    ...(await modelInputs(opponentFolders(sampled.opened.opponentRuns))),
    ...sourceInputs(directory, sources),
    ...("kind" in place && recordInputs(place.record)),
  };
  const known = policyTask(config.task);
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
      ...("kind" in place && { server: place.record }),
      ...(fleet && { samplers: fleet.record }),
      ...(Object.keys(seen).length > 0 && { seenInTraining: seen }),
    },
    inputs,
    adjustable: adjustableOf(config),
    ...(known !== null && { policy: { task: known } }),
    keepCheckpoints: train.checkpoint.keep,
    checkpointEvery: train.checkpoint.every,
    retention: train.retention,
    now: () => performance.now(),
    sinks,
    ...(fleet && { measures: () => fleetMeasures(fleet.servers()), replies: () => fleet.takeReplies() }),
    observer: {
      step(metrics) {
        received.firstStep ??= metrics["step"] as number;
        progress.step(metrics, fleet && serversInShort(fleet.servers()));
      },
      evaluation: (evaluation) => progress.evaluation(evaluation),
      test: (evaluation) => progress.test?.(evaluation),
      warning: (message) => progress.warn(message),
    },
  });
  closing.defer(() => run.close(received.outcome));
  for (const warning of seenWarnings(seen)) await run.warn(warning);
  fleet?.listen(
    ({ message, ...facts }) =>
      void run.warnOfServer(message, facts).catch((error: unknown) => progress.warn((error as Error).message)),
  );
  progress.opened({
    steps: train.steps,
    problemsPerStep: train.problemsPerStep,
    episodesPerProblem: train.episodesPerProblem,
    split: task.validation ? "validation" : "test",
    problems: Math.min(train.evaluation.problems, (task.validation ?? task.testProblems).length),
    evaluateEvery: train.evaluation.every,
    isResumed: resume !== false,
    isServed: openSource !== undefined,
  });
  const end = (outcome: SinkOutcome): void => void (received.outcome = outcome);
  return { ...sampled, run, sources, begun, end, firstStep: () => received.firstStep };
}

/** What a resumed run may bring otherwise, with what follows from it. */
function adjustableOf({ train, sampler, engine }: AppConfig): NonNullable<RunOptions["adjustable"]> {
  return {
    "train.steps": scheduleNote(train),
    "train.retention": "",
    sinks: "",
    ...(sampler && samplerAdjustable(sampler)),
    ...(engine && {
      "engine.tinker.url": ": its server has the run's checkpoints under the same names, or loads none",
    }),
  };
}

/** A resumed run may go on with other servers, and more of them. */
function samplerAdjustable(sampler: SamplerSettings): Record<string, string> {
  const { kind } = serversOf(sampler);
  const keys = ["urls", "folder", "folderAtServers", "receivers", "concurrency", "replySeconds", "patienceSeconds"];
  return Object.fromEntries(keys.map((key) => [`sampler.${kind}.${key}`, ""]));
}

/** What more steps do to learning rates that fall over the whole run. */
function scheduleNote({ optimizer, policies }: AppConfig["train"]): string {
  const schedules = [optimizer.learningRate, ...Object.values(policies).flatMap((each) => each.learningRate ?? [])];
  if (schedules.every((rate) => isNamedRate(rate) && rate.decay === "constant")) return "";
  return ": the learning rate follows the schedule of the new length from here on, as no run of that length from the beginning would";
}
