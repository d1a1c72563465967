import { setTimeout as delay } from "node:timers/promises";
import type { SandboxResult } from "./sandbox.ts";
import type { Turns } from "./turns.ts";

/** How one attempt at a run ended. */
export interface Attempt {
  readonly result: SandboxResult;
  /** Whether the machine may have decided it: it is tried again, alone. */
  readonly retry: boolean;
}

const pauseMs = 200; // what was short may be there again

/** Takes a turn for a run, and another without neighbours where the machine may have decided the first. */
export async function settle(
  turns: Turns,
  attempt: () => Promise<Attempt>,
  signal: AbortSignal | undefined,
): Promise<SandboxResult> {
  const first = await turns.take(attempt, signal);
  if (first?.retry !== true) return first?.result ?? aborted;
  const second = await turns.takeAlone(async () => {
    await delay(pauseMs);
    return attempt();
  }, signal);
  return second?.result ?? aborted;
}

const aborted: SandboxResult = { status: "aborted", exitCode: null, stdout: "", stderr: "", seconds: 0 };

/** A run that the machine ended, not the program. */
export function undecided(reason: string, seconds: number): Attempt {
  return { result: { status: "undecided", exitCode: null, stdout: "", stderr: reason, seconds }, retry: true };
}
