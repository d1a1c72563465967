import { type GradingStep, gradingStepLimits } from "@laconic/core/run-folder";
import type { Sandbox, SandboxResult } from "../sandbox.ts";

/** Verdict of the tests. */
export interface ProgramVerdict {
  readonly correct: boolean;
  /** False if the machine, `signal` or a sandbox limit prevented a verdict. */
  readonly decided: boolean;
  /** Reached a sandbox limit; rewards count this as wrong, so that a policy cannot profit. */
  readonly limited: boolean;
  /** Deciding event: "all tests passed", "AssertionError", ... */
  readonly rule: string;
  readonly gradingMode: "two-phase";
  readonly calls: number;
  /** The first calls, and the deciding last call. */
  readonly steps: readonly GradingStep[];
}

export interface Ending {
  /**
   * `passed`; `decided`: wrong; `limit`: a sandbox limit, so the result is unknown; `machine`: the machine ended it.
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

/** @param seconds - the benchmark's time limit; an earlier end is the sandbox's */
export function endingOf({ status, stderr }: SandboxResult, { record }: Sandbox, seconds: number): Ending {
  const { kind, rule } = endings[status];
  if (status === "time" && record.limits.seconds < seconds) return { kind: "limit", rule: "time limit of the sandbox" };
  const words = status === "unsupported" || status === "memory" ? lastWords(stderr) : "";
  return { kind, rule: words === "" ? rule : `${rule}: ${words}` };
}

/** @param steps - all calls; keeps the first ones and the last */
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

export function lastWords(stderr: string): string {
  return (stderr.trim().split("\n").at(-1) ?? "").slice(0, 200);
}
