import { join } from "node:path";
import { performance } from "node:perf_hooks";
import type { TrainingParts, TrainResult } from "@laconic/trainer";
import { checkTraining, declineOf, openRun, tensorBoardSink, train, type RunOptions } from "@laconic/trainer";
import { statusLine } from "../cli/status-line.ts";
import type { Terminal } from "../cli/terminal.ts";
import { formatNumber, formatPercent } from "../cli/format.ts";
import { trainingSeconds } from "../report/run-data.ts";
import { withoutScore } from "../report/unscored.ts";
import { writeReport } from "../report/write-report.ts";
import { checkSources, inFolder, keepSources, sourceInputs, sourcesOf } from "../door/run-sources.ts";
import { writtenConfig } from "./app-config.ts";
import type { AppConfig } from "./run-settings.ts";
import { checkRun, modelFolders } from "./check-run.ts";
import { describeEnvironment } from "./environment.ts";
import { chooseDevice } from "./devices.ts";
import { openModelFolder } from "./model-folder.ts";
import { openParts, type OpenedParts } from "./open-parts.ts";
import { runResources } from "./open-run.ts";
import { policyTask } from "./policy-task.ts";
import { runInputs } from "./run-inputs.ts";
import { pinnedRunTask } from "./run-task.ts";

export interface StartedRun extends TrainResult {
  /** What interrupted the run, if anything did. */
  readonly signal: NodeJS.Signals | null;
  /** Of this process: steps, evaluations and files. */
  readonly seconds: number;
  /** Of the run's steps, in all its processes: what the report shows. */
  readonly trainingSeconds: number | null;
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
): Promise<StartedRun> {
  // A run that goes on is refused by the name of the file; where one may be started over, openRun says what differs.
  if (resume === true) await checkSources(directory);
  await checkRun(given, terminal, { served: openSource !== undefined });
  const device = await chooseDevice(given.device, given.workers, (text) => terminal.note(text));
  // The run says what `auto` came to: a resume elsewhere is then refused instead of rounding differently.
  const { pinned } = await openModelFolder(given.model, terminal);
  const config = {
    ...given,
    task: await pinnedRunTask(given.task),
    model: pinned,
    device: device.name,
    workers: device.workers,
  };
  const warn = (message: string): void => terminal.note(`${terminal.paint("yellow", "warning")}: ${message}`);
  const resources = await runResources(pinned, terminal);
  const opened = await openParts(config, device, resources);
  const { engine, task, parts, close } = opened;
  const stop = new AbortController();
  const interrupt = (signal: NodeJS.Signals): void => {
    if (stop.signal.aborted) process.exit(signal === "SIGINT" ? 130 : 143);
    terminal.note(`${signal}: finishing this step and saving; once more stops at once`);
    stop.abort(signal);
  };
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", interrupt);
  try {
    checkTraining(parts, config.train);
    const sources = await sourcesOf(config);
    const inputs = {
      ...(await runInputs(await modelFolders(config, terminal), task)),
      ...sourceInputs(directory, sources),
    };
    const known = policyTask(config.task);
    const started = performance.now();
    let first: number | null = null;
    const { steps } = config.train;
    const run = await openRun({
      directory,
      resume,
      config: inFolder(directory, writtenConfig(config)),
      environment: await describeEnvironment(engine.capabilities),
      inputs,
      adjustable: { "train.steps": scheduleNote(config) },
      ...(known !== null && { policy: { task: known } }),
      keepCheckpoints: config.train.checkpoint.keep,
      now: () => performance.now(),
      sinks: [
        tensorBoardSink({ directory: join(directory, "tensorboard"), wallTime: () => new Date().getTime() / 1000 }),
      ],
      observer: {
        step(metrics) {
          const step = metrics["step"] as number;
          first ??= step - 1;
          const line = statusLine({
            step,
            steps,
            accuracy: metrics["task/accuracy"] as number,
            tokens: metrics["tokens/episode_mean"] as number,
            tokenPrice: metrics["budget/tokens/lambda"] as number,
            elapsedSeconds: (performance.now() - started) / 1000,
            stepsDone: step - first,
          });
          if (terminal.interactive) terminal.status(line);
          else if (step % 10 === 0 || step === steps) terminal.note(line);
        },
        evaluation: ({ step, accuracy, tokens, problems, ...evaluation }) =>
          terminal.note(
            `${terminal.paint("cyan", `held-out at step ${step}`)}: accuracy ${formatPercent(accuracy)}, ${formatNumber(tokens)} tokens per episode (${problems} problems${withoutScore(evaluation)})`,
          ),
        warning: warn,
      },
    });
    let result: TrainResult;
    let source: OpenedSource | undefined;
    try {
      await keepSources(directory, sources);
      source = await openSource?.(opened, { config, directory, resume: resume !== false });
      result = await train(source?.parts ?? parts, config.train, run, stop.signal);
    } finally {
      await source?.close();
      await run.close();
    }
    const seconds = (performance.now() - started) / 1000;
    const decline = declineOf(result.before, result.after);
    if (decline !== null) warn(`at the end, after step ${result.steps}, ${decline}`);
    const signal = stop.signal.aborted ? (stop.signal.reason as NodeJS.Signals) : null;
    return {
      ...result,
      ...{ signal, seconds, device: engine.capabilities.device, report: await writeReport(directory) },
      trainingSeconds: await trainingSeconds(directory),
    };
  } finally {
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
    await close();
  }
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
