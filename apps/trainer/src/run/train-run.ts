import { startRun, type AppConfig, type StartedRun, type StartOptions } from "@laconic/runtime";
import { exitCodeOfSignal, interrupts } from "../cli/interruption.ts";
import type { Terminal } from "../cli/terminal.ts";
import { readReport } from "@laconic/view/report";
import { TrainingStatus } from "./training-status.ts";

/** A run that was trained here. */
export interface TrainedRun extends StartedRun {
  /** Before and after training; null where no problem was recorded twice. */
  readonly firstProblem: string | null;
}

/**
 * Trains into a run directory with a status line. The first interrupt finishes the step and saves; before
 * anything was measured or trained there is nothing to save, and it ends the process.
 */
export async function trainRun(
  config: AppConfig,
  options: Pick<StartOptions, "directory" | "resume" | "openSource" | "spending">,
  terminal: Terminal,
): Promise<TrainedRun> {
  const status = new TrainingStatus(terminal);
  const { progress } = status;
  const started = await startRun(config, {
    ...options,
    progress,
    interrupts: () =>
      interrupts((signal) => {
        if (!status.hasResults && !options.openSource) process.exit(exitCodeOfSignal(signal));
        terminal.note(`${signal}: finishing this step and saving; once more stops at once`);
      }),
  });
  const report = await readReport(options.directory);
  return { ...started, firstProblem: await report.firstProblem() };
}
