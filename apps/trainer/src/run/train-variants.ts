import { formatDuration } from "@laconic/core/text";
import { exitCodeOf, type StartedRun, type VariantOptions } from "@laconic/runtime";
import type { Terminal } from "../cli/terminal.ts";
import { trainRun } from "./train-run.ts";

/** How the runs of a sweep or an ablation are trained and shown here. */
export function startsOf(terminal: Terminal): Pick<VariantOptions, "onRun" | "start"> {
  return {
    onRun({ variant: { name, about }, seed, number, runs, secondsLeft }) {
      const left = secondsLeft === null ? "" : `, about ${formatDuration(secondsLeft)} left`;
      terminal.note(`${terminal.paint("bold", name)} (${about}), seed ${seed}: run ${number} of ${runs}${left}`);
    },
    start: (config, options) => trainRun(config, options, terminal),
  };
}

/** @returns the exit code of a command whose run was interrupted */
export function stoppedBy(run: StartedRun, terminal: Terminal): number {
  terminal.note("stopped; the same command again goes on from here");
  return exitCodeOf(run);
}
