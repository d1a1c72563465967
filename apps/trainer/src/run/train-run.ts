import { startRun, type AppConfig, type StartedRun, type StartOptions } from "@laconic/runtime";
import { exitCodeOfSignal, interrupts } from "../cli/interruption.ts";
import type { Terminal } from "../cli/terminal.ts";
import { readReport } from "@laconic/view/report";
import { TrainingStatus } from "./training-status.ts";

export interface TrainedRun extends StartedRun {
  /** First problem before and after training; null if not recorded twice. */
  readonly firstProblem: string | null;
}

/** Trains into a run folder. The first interrupt finishes the step and saves; before any result, it ends the process. */
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
        terminal.note(`${signal}: finishing this step and saving; press again to stop immediately`);
      }),
  });
  const report = await readReport(options.directory);
  return { ...started, firstProblem: await report.firstProblem() };
}
