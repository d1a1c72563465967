import type { Sandbox, SandboxResult } from "../sandbox.ts";

/**
 * What the end of a run means for a verdict. `decided`: the program's doing, a wrong answer. `limit`: the program reached a limit of the sandbox,
 * which says nothing of its answer. `machine`: the machine kept it from ending.
 */
export type EndingKind = "decided" | "limit" | "machine";

/** The end of a run that gave no answer. */
export interface Ending {
  readonly kind: EndingKind;
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

/** Fields of a verdict without an answer. */
export function verdictOf(kind: EndingKind): { readonly decided: boolean; readonly limited: boolean } {
  return { decided: kind === "decided", limited: kind === "limit" };
}

/** Last line of what a program wrote about its end. */
export function lastWords(stderr: string): string {
  return (stderr.trim().split("\n").at(-1) ?? "").slice(0, 200);
}
