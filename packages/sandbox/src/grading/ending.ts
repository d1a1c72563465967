import { type GradingStep, gradingStepLimits } from "@laconic/core/run-folder";
import type { Sandbox, SandboxResult } from "../sandbox.ts";

/** What the tests say of a program. */
export interface ProgramVerdict {
  readonly correct: boolean;
  /** False where the machine, `signal` or a limit of the sandbox prevented a verdict: the program is neither right nor wrong. */
  readonly decided: boolean;
  /** The program reached a limit of the sandbox. A reward counts this as wrong, so that a policy gains nothing by it. */
  readonly limited: boolean;
  /** What decided: "all tests passed", "AssertionError", "time limit", ... */
  readonly rule: string;
  /** How it was graded, for the record of a score. */
  readonly gradingMode: "two-phase";
  /** Calls that the tests made. */
  readonly calls: number;
  /** The first calls, each with what the program answered, which the tests judged, and the last, which decided. */
  readonly steps: readonly GradingStep[];
}

/** The end of a grading, or of a run that gave no answer. */
export interface Ending {
  /**
   * `passed`: all tests accept the program. `decided`: the program's doing, a wrong answer. `limit`: the program reached a limit of the
   * sandbox, which says nothing of its answer. `machine`: the machine kept it from ending.
   */
  readonly kind: "passed" | "decided" | "limit" | "machine";
  readonly rule: string;
}

const endings: Readonly<Record<SandboxResult["status"], Ending>> = {
  ok: { kind: "decided", rule: "left before it had answered" },
  exception: { kind: "decided", rule: "left before it had answered" },
  time: { kind: "decided", rule: "time limit" },
  memory: { kind: "limit", rule: "memory limit" },
  output: { kind: "limit", rule: "output limit" },
  unsupported: { kind: "limit", rule: "the sandbox lacks a module or system call" },
  crashed: { kind: "limit", rule: "the interpreter crashed" },
  undecided: { kind: "machine", rule: "undecided: the machine did not let it run" },
  aborted: { kind: "machine", rule: "aborted" },
};

/** @param seconds - the benchmark's time limit: an end before it is the sandbox's limit */
export function endingOf({ status, stderr }: SandboxResult, { record }: Sandbox, seconds: number): Ending {
  const { kind, rule } = endings[status];
  if (status === "time" && record.limits.seconds < seconds) return { kind: "limit", rule: "time limit of the sandbox" };
  const words = status === "unsupported" || status === "memory" ? lastWords(stderr) : "";
  return { kind, rule: words === "" ? rule : `${rule}: ${words}` };
}

/** @param steps - of all calls, of which a record takes the first and the last */
export function verdictOf({ kind, rule }: Ending, calls: number, steps: readonly GradingStep[]): ProgramVerdict {
  const { steps: most } = gradingStepLimits;
  return {
    correct: kind === "passed",
    decided: kind === "passed" || kind === "decided",
    limited: kind === "limit",
    rule,
    gradingMode: "two-phase",
    calls,
    steps: steps.length <= most ? steps : [...steps.slice(0, most - 1), ...steps.slice(-1)],
  };
}

/** Last line of what a program wrote about its end. */
export function lastWords(stderr: string): string {
  return (stderr.trim().split("\n").at(-1) ?? "").slice(0, 200);
}
