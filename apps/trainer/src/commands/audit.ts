import { resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { LaconicError } from "@laconic/core";
import { formatDuration } from "@laconic/core/text";
import type { CommandDef } from "citty";
import { auditRun, auditText } from "@laconic/audit";
import { findPython } from "@laconic/core/platform";
import { command, type ExitCode } from "../cli/command.ts";
import { exitCodeOfSignal, untilInterrupted } from "../cli/interruption.ts";
import { positiveNumber, wholeNumber } from "../cli/numbers.ts";
import { showProgress } from "../cli/progress.ts";
import { printResult } from "../cli/terminal.ts";
import { openModelFolder } from "@laconic/runtime/models";
import { jsonFlag } from "../cli/flags.ts";
import type { CommandContext } from "./common.ts";

export function auditCommand({ terminal }: CommandContext, exit: ExitCode): CommandDef {
  return command(
    {
      name: "audit",
      args: {
        run: { type: "positional", required: true, description: "Run directory; a run that still goes on will do" },
        steps: { type: "string", description: "Only these steps", valueHint: "a..b" },
        fast: { type: "boolean", description: "Leave the weights out: no forward or backward pass" },
        minutes: {
          type: "string",
          description: "Move the weights for so long at most; the rest is named as left out",
          valueHint: "n",
        },
        sample: {
          type: "string",
          description: "Instead of moving weights: n sequences of each step whose weights the folder holds",
          valueHint: "n",
        },
        "with-python": {
          type: "boolean",
          description: "Move the weights by PyTorch too, with autograd in float64; takes torch and transformers",
        },
        python: { type: "string", description: "That Python; LACONIC_PYTHON by default", valueHint: "program" },
        ...jsonFlag,
      },
      run: async (args) => {
        const note = (signal: NodeJS.Signals): void =>
          terminal.note(`${signal}: finishing this step; once more stops at once`);
        return untilInterrupted(note, async (stop) => {
          const report = await auditRun(resolve(args.run), {
            steps: args.steps === undefined ? undefined : stepsIn(args.steps),
            fast: args.fast === true,
            python: args["with-python"] || args.python !== undefined ? (args.python ?? findPython()) : undefined,
            sample: args.sample === undefined ? undefined : wholeNumber("sample", args.sample),
            minutes: args.minutes === undefined ? undefined : positiveNumber("minutes", args.minutes),
            findModel: async (name) => (await openModelFolder(name, terminal, { offline: true })).folder,
            signal: stop,
            now: () => performance.now(),
            note: (text) => terminal.note(text),
            progress: (step, last, left) => {
              const line = `audit of step ${step}/${last}  ${formatDuration(left)} left`;
              showProgress(terminal, line, step % 10 === 0 || step === last);
            },
          });
          printResult(terminal, args.json, report, auditText);
          if (!report.complete) return exitCodeOfSignal(stop.reason as NodeJS.Signals);
          return report.agrees ? 0 : 1;
        });
      },
    },
    exit,
  );
}

/** @throws LaconicError `config_invalid` */
function stepsIn(text: string): readonly [first: number, last: number] {
  const [, first, last = first] = /^(\d+)(?:\.\.(\d+))?$/.exec(text) ?? [];
  if (first !== undefined) return [Number(first), Number(last)];
  throw new LaconicError("config_invalid", `--steps is ${text}, expected a step such as 7, or 1..10`, {
    flag: "steps",
  });
}
