import { startRun, type AppConfig, type Interrupts, type StartedRun, type StartOptions } from "@laconic/runtime";
import type { Terminal } from "../cli/terminal.ts";
import { TrainingStatus, writeReport } from "./training-status.ts";

/** A run that was trained here, and its page. */
export interface ReportedRun extends StartedRun {
  readonly report: string;
}

/** Trains into a run directory with a status line, and writes the report. The first interrupt finishes the step and saves. */
export async function trainRun(
  config: AppConfig,
  options: Pick<StartOptions, "directory" | "resume" | "openSource" | "spending">,
  terminal: Terminal,
): Promise<ReportedRun> {
  const { progress } = new TrainingStatus(terminal);
  const interrupts = (): Interrupts => untilInterrupted(terminal);
  const started = await startRun(config, { ...options, progress, interrupts });
  return { ...started, report: await writeReport(options.directory) };
}

function untilInterrupted(terminal: Terminal): Interrupts {
  const stop = new AbortController();
  const interrupt = (signal: NodeJS.Signals): void => {
    if (stop.signal.aborted) process.exit(signal === "SIGINT" ? 130 : 143);
    terminal.note(`${signal}: finishing this step and saving; once more stops at once`);
    stop.abort(signal);
  };
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", interrupt);
  return {
    signal: stop.signal,
    dispose() {
      process.off("SIGINT", interrupt);
      process.off("SIGTERM", interrupt);
    },
  };
}
