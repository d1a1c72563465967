import { formatDuration } from "@laconic/core/text";
import { exitCodeOf, runVariants, type VariantOptions, type VariantResult } from "@laconic/runtime";
import { ExitError } from "../cli/command.ts";
import type { Terminal } from "../cli/terminal.ts";
import { trainRun } from "./train-run.ts";

/** Trains with progress. @throws ExitError if a signal stops a run */
export async function trainVariants(
  options: Omit<VariantOptions, "onRun" | "start">,
  terminal: Terminal,
): Promise<readonly VariantResult[]> {
  const outcome = await runVariants(
    {
      ...options,
      onRun({ variant: { name, about }, seed, number, runs, secondsLeft }) {
        const left = secondsLeft === null ? "" : `, about ${formatDuration(secondsLeft)} left`;
        terminal.note(`${terminal.paint("bold", name)} (${about}), seed ${seed}: run ${number} of ${runs}${left}`);
      },
      start: (config, startOptions) => trainRun(config, startOptions, terminal),
    },
    terminal,
  );
  if (Array.isArray(outcome)) return outcome;
  terminal.note("stopped; the same command continues from here");
  throw new ExitError(exitCodeOf(outcome));
}
