import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { LaconicError } from "@laconic/core";
import { formatNumber, formatPercent } from "@laconic/core/text";
import type { TrainingParts, TrainResult } from "@laconic/trainer";
import { checkTraining, regressionOf, openRun, train, type RunOptions, type SinkOutcome } from "@laconic/trainer";
import { spinner, type Spinner } from "../cli/spinner.ts";
import { statusLine } from "../cli/status-line.ts";
import { evaluationsFrom, timeLeft } from "../cli/time-left.ts";
import type { Terminal } from "../cli/terminal.ts";
import { trainingSeconds } from "../report/run-data.ts";
import { withoutScore } from "../report/unscored.ts";
import { writeReport } from "../report/write-report.ts";
import { checkSources, inFolder, keepSources, sourceInputs, sourcesOf, withSource } from "@laconic/runtime/resolver";
import {
  beforeLessons,
  checkAgainstServer,
  checkRun,
  describeEnvironment,
  keepBeforeLessons,
  modelFolders,
  openFleet,
  openParts,
  openSinks,
  pinnedRunTask,
  policyTask,
  probedServer,
  recordInputs,
  recordLines,
  runInputs,
  runResources,
  serversInShort,
  serversOf,
  startingModel,
  tokenLimits,
  withOwnModel,
  writtenConfig,
  type AppConfig,
  type BeforeLessons,
  type OpenedFleet,
  type OpenedParts,
  type Place,
  type SamplerSettings,
} from "@laconic/runtime";
import { chooseDevice } from "@laconic/runtime/devices";
import { openModelFolder } from "@laconic/runtime/models";
import { keepCalls, type Spending } from "@laconic/runtime/spending";

/** Between two lines where nobody watches, in milliseconds. */
const longestSilence = 30_000;

export interface StartedRun extends TrainResult {
  /** Of a model that has had lessons: the team before them. `before` is then the team after them, which the training began with. */
  readonly lessons: BeforeLessons | null;
  /** What interrupted the run, if anything did. */
  readonly signal: NodeJS.Signals | null;
  /** Of this process: steps, evaluations and files. */
  readonly seconds: number;
  /** Of the run's steps, in all its processes: what the report shows. */
  readonly trainingSeconds: number | null;
  /** Of these, those of training steps before it was resumed; 0 for a run that began now. */
  readonly earlierSeconds: number;
  readonly device: string;
  readonly report: string;
}

/** What episodes come from where they are not played here. */
export interface OpenedSource {
  readonly parts: TrainingParts;
  close(): Promise<void>;
}

/** Opens it once the run directory is held. */
export type OpenSource = (
  opened: OpenedParts,
  run: { readonly config: AppConfig; readonly directory: string; readonly resume: boolean },
) => Promise<OpenedSource>;

/**
 * Trains into a run directory with a status line, and writes the report. The first interrupt finishes the step and saves. What
 * can be refused is refused before the directory is made.
 */
export async function startRun(
  given: AppConfig,
  directory: string,
  resume: Exclude<RunOptions["resume"], undefined>,
  terminal: Terminal,
  openSource?: OpenSource,
  spending: Spending | null = null,
): Promise<StartedRun> {
  // A run that goes on is refused by the name of the file; where one may be started over, openRun says what differs.
  if (resume === true) await checkSources(directory);
  const { models } = await checkRun(given, terminal, { served: openSource !== undefined });
  const weights = given.engine === null;
  const found = await openModelFolder(given.model, terminal, { weights });
  const choosing = spinner(terminal, "trying devices");
  const { place, ...where } = await choosePlace(given, found.folder, models, terminal).finally(() => choosing.done());
  const { settings: start, record } =
    "kind" in place
      ? { settings: { model: found.pinned, lessons: null }, record: null }
      : await startingModel(given, found, place, directory, terminal);
  const config = { ...given, task: await pinnedRunTask(given.task), ...start, ...where };
  const lessons =
    record === null || "kind" in place ? null : await beforeLessons(config, record, place, directory, terminal);
  const warn = (message: string): void => terminal.note(`${terminal.paint("yellow", "warning")}: ${message}`);
  const resources = await runResources(config.model, terminal, { weights });
  const journal = join(directory, "tinker.jsonl");
  const { sampler } = config;
  // Servers batch by themselves: no request waits for another.
  const batching = sampler ? { batching: "continuous" as const } : {};
  const loading = spinner(
    terminal,
    given.engine ? "opening the models on the server" : `loading the model on ${config.device}`,
  );
  const opened = await openParts(config, place, { ...resources, journal, spending, ...batching }).finally(() =>
    loading.done(),
  );
  const { engine, task, parts: local, close } = opened;
  let fleet: OpenedFleet | null = null;
  const stop = new AbortController();
  const interrupt = (signal: NodeJS.Signals): void => {
    if (stop.signal.aborted) process.exit(signal === "SIGINT" ? 130 : 143);
    terminal.note(`${signal}: finishing this step and saving; once more stops at once`);
    stop.abort(signal);
  };
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", interrupt);
  try {
    try {
      checkTraining(local, config.train);
    } catch (error) {
      throw withSource(error, config);
    }
    const fleetNote = (text: string): void => terminal.note(text);
    const { vocabularySize } = sampler ? await tokenLimits(found.folder) : { vocabularySize: 0 };
    const { temperature } = config.train.sampling;
    fleet =
      sampler &&
      (await openFleet(sampler, local.policies, { directory, vocabularySize, temperature, note: fleetNote }));
    const parts = fleet ? { ...local, policies: fleet.policies } : local;
    const sources = await sourcesOf({ ...config, sinks: [] }); // what is shown elsewhere changes nothing of it
    const inputs = {
      ...(await runInputs(await modelFolders(config, terminal), task)),
      ...sourceInputs(directory, sources),
      ...("kind" in place && recordInputs(place.record)),
    };
    const known = policyTask(config.task);
    const sinks = await openSinks(config.sinks, directory);
    const started = performance.now();
    const { steps, evaluation: measure, problemsPerStep, episodesPerProblem } = config.train;
    const measuring = `measuring ${Math.min(measure.problems, task.heldOut.length)} held-out problems`;
    // Of the last step or evaluation, and of the last line where nobody watches.
    let last = started;
    let lastLine = started;
    let first: number | null = null;
    const [stepSeconds, evaluationSeconds]: [number[], number[]] = [[], []];
    let now: Spinner = { done: () => undefined };
    const run = await openRun({
      directory,
      resume,
      config: withOwnModel(directory, inFolder(directory, writtenConfig(config))),
      environment: {
        ...(await describeEnvironment(engine.capabilities)),
        ...(task.about !== undefined && { about: task.about }),
        ...("kind" in place && { server: place.record }),
        ...(fleet && { samplers: fleet.record }),
      },
      inputs,
      adjustable: {
        "train.steps": scheduleNote(config),
        sinks: "",
        ...(sampler && samplerAdjustable(sampler)),
        ...(config.engine && {
          "engine.tinker.url": ": its server has the run's checkpoints under the same names, or loads none",
        }),
      },
      ...(known !== null && { policy: { task: known } }),
      keepCheckpoints: config.train.checkpoint.keep,
      now: () => performance.now(),
      sinks,
      observer: {
        step(metrics) {
          fleet?.flush().catch((error: unknown) => warn(`samplers.jsonl: ${(error as Error).message}`));
          now.done();
          const step = metrics["step"] as number;
          const at = performance.now();
          first ??= step;
          stepSeconds.push((at - last) / 1000);
          last = at;
          const evaluationsLeft = openSource ? 0 : evaluationsFrom(step, steps, measure.every);
          const stepsLeft = steps - step;
          const line = statusLine({
            step,
            steps,
            accuracy: metrics["task/accuracy"] as number,
            tokens: metrics["tokens/episode_mean"] as number,
            tokenPrice: metrics["budget/tokens/lambda"] as number,
            secondsLeft: timeLeft({ stepSeconds, evaluationSeconds, stepsLeft, evaluationsLeft }),
            ...(fleet && { note: serversInShort(fleet.servers()) }),
          });
          if (terminal.interactive) terminal.status(line);
          else if (step % 10 === 0 || step === steps || at - lastLine > longestSilence) {
            terminal.note(line);
            lastLine = at;
          }
          if (!openSource && (step === steps || (measure.every > 0 && step % measure.every === 0)))
            now = spinner(terminal, measuring);
        },
        evaluation: ({ step, accuracy, tokens, problems, ...evaluation }) => {
          now.done();
          const at = performance.now();
          evaluationSeconds.push((at - last) / 1000);
          last = at;
          terminal.note(
            `${terminal.paint("cyan", `held-out at step ${step}`)}: accuracy ${formatPercent(accuracy)}, ${formatNumber(tokens)} tokens per episode (${problems} problems${withoutScore(evaluation)})`,
          );
          if (step > 0) return;
          lastLine = at;
          now = spinner(
            terminal,
            `first step: ${problemsPerStep} problems x ${episodesPerProblem} episodes, and the update`,
          );
        },
        warning: warn,
      },
    });
    let result: TrainResult;
    let source: OpenedSource | undefined;
    let outcome: SinkOutcome = "failed";
    now = spinner(terminal, resume === false && !openSource ? `${measuring} before the first step` : "starting");
    const paid = spending?.price ? await keepCalls(directory, spending.account) : null;
    try {
      await keepSources(directory, sources);
      if (lessons) await keepBeforeLessons(directory, lessons);
      source = await openSource?.({ ...opened, parts }, { config, directory, resume: resume !== false });
      last = performance.now();
      result = await train(source?.parts ?? parts, config.train, run, stop.signal);
      outcome = result.interrupted ? "interrupted" : "finished";
    } catch (error) {
      const bestStep = LaconicError.is(error) ? error.detail["bestStep"] : undefined;
      if (bestStep !== undefined) {
        terminal.note(`report: ${await writeReport(directory)}`);
        if (bestStep !== 0) terminal.note(`the best checkpoint: laconic eval ${directory} --best`);
      }
      const spent = spending && LaconicError.is(error) && error.code === "budget_refused";
      if ("kind" in place || spent)
        terminal.note(
          `the last checkpoint goes on with: laconic train --resume --run ${directory}${spent ? " --max-usd MORE" : ""}`,
        );
      throw withSource(error, config);
    } finally {
      now.done();
      await source?.close();
      await fleet?.flush();
      await paid?.close();
      await run.close(outcome);
    }
    const seconds = (performance.now() - started) / 1000;
    const decline = regressionOf(result.before, result.after);
    if (decline !== null) warn(`at the end, after step ${result.steps}, ${decline}`);
    const signal = stop.signal.aborted ? (stop.signal.reason as NodeJS.Signals) : null;
    return {
      ...result,
      lessons,
      signal,
      seconds,
      device: engine.capabilities.device,
      report: await writeReport(directory),
      trainingSeconds: await trainingSeconds(directory),
      // One that had nothing left to train was trained before.
      earlierSeconds: (await trainingSeconds(directory, first ?? Infinity)) ?? 0,
    };
  } finally {
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
    await fleet?.close();
    await close();
  }
}

/** A resumed run may go on with other servers, and more of them. */
function samplerAdjustable(sampler: SamplerSettings): Record<string, string> {
  const { kind } = serversOf(sampler);
  const keys = ["urls", "folder", "folderAtServers", "concurrency", "replySeconds", "patienceSeconds"];
  return Object.fromEntries(keys.map((key) => [`sampler.${kind}.${key}`, ""]));
}

/** Where the models will be, as the run's settings say it from then on. */
async function choosePlace(
  given: AppConfig,
  folder: string,
  models: number,
  terminal: Terminal,
): Promise<Pick<AppConfig, "engine" | "device" | "workers"> & { readonly place: Place }> {
  const { engine, device, workers } = given;
  if (engine) {
    const { vocabularySize } = await tokenLimits(folder);
    const place = await probedServer(engine.tinker, vocabularySize, terminal);
    terminal.note(recordLines(place.record).join("\n"));
    checkAgainstServer(given, place.record, models);
    return { engine: { tinker: place.settings }, device, workers, place };
  }
  // The run says what `auto` came to: a resume elsewhere is then refused instead of rounding differently.
  const place = await chooseDevice(device, workers, (text) => terminal.note(text));
  return { engine, device: place.name, workers: place.workers, place };
}

/** What more steps do to learning rates that fall over the whole run. */
function scheduleNote({ train: { optimizer, policies } }: AppConfig): string {
  const schedules = [optimizer.learningRate, ...Object.values(policies).flatMap((each) => each.learningRate ?? [])];
  if (schedules.every(({ decay }) => decay === "constant")) return "";
  return ": the learning rate follows the schedule of the new length from here on, as no run of that length from the beginning would";
}

/** 0 done, 130 or 143 after a signal. */
export function exitCodeOf({ interrupted, signal }: Pick<StartedRun, "interrupted" | "signal">): number {
  if (!interrupted) return 0;
  return signal === "SIGTERM" ? 143 : 130;
}
