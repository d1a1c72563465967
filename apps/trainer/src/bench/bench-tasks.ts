import { join, resolve } from "node:path";
import { LaconicError } from "@laconic/core";
import { shellWord } from "@laconic/core/text";
import { pairSettingsFile, readPairConfig, settingsFile } from "@laconic/evaluation/bench";
import { checkBenchTrust, playTasks, type TaskLimits } from "@laconic/runtime/bench";
import { taskSettingsSchema } from "@laconic/tasks/named";
import { exists } from "../cli/files.ts";
import { interrupts } from "../cli/interruption.ts";
import { wholeNumber } from "../cli/numbers.ts";
import { printResult, type Terminal } from "../cli/terminal.ts";
import { deadlineOf } from "../run/spending.ts";
import type { TaskArguments } from "./bench-flags.ts";
import { taskConfigOf } from "./task-arguments.ts";

/** Plays teams on tasks. */
export async function benchTasks(args: TaskArguments, terminal: Terminal): Promise<number> {
  const directory = resolve(args.run);
  if (!args.resume) await checkEmpty(directory);
  const config = args.resume ? await readPairConfig(directory, taskSettingsSchema) : await taskConfigOf(args);
  if (args.resume) await checkBenchTrust(directory, config);
  const { markdown, ...outcome } = await playTasks(directory, config, limitsOf(args, terminal), terminal);
  printResult(terminal, args.json, { directory, ...outcome }, () => markdown);
  return codeOf(outcome.stopped, outcome.summaries, args.run, terminal);
}

/** @throws LaconicError `run_exists` for a directory with a bench */
export async function checkEmpty(directory: string): Promise<void> {
  for (const file of [settingsFile, pairSettingsFile])
    if (await exists(join(directory, file)))
      throw new LaconicError(
        "run_exists",
        `${directory} holds a bench already; continue with --resume, or choose another --run`,
        { directory },
      );
}

/** 0 where every sample has a score. */
export function codeOf(
  stopped: string | null,
  summaries: readonly { readonly scored: number; readonly samples: number }[],
  run: string,
  terminal: Terminal,
): number {
  if (stopped === null) return summaries.every(({ scored, samples }) => scored === samples) ? 0 : 1;
  terminal.note(`stopped: ${stopped}\ngo on with: laconic bench --resume --run ${shellWord(run)}`);
  return stopped === "aborted" ? 130 : 1;
}

/** @throws LaconicError `config_invalid` naming the flag */
export function limitsOf(
  args: { readonly timeout?: string | undefined; readonly "max-errors"?: string | undefined },
  terminal: Terminal,
): TaskLimits {
  return {
    ...deadlineOf(args),
    maxErrors: wholeNumber("max-errors", args["max-errors"] ?? "20", 0),
    interrupts: () => interrupts(() => terminal.note("stopping; what is done is kept (once more to stop at once)")),
  };
}
