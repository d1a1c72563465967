import { availableParallelism } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { checkJob, type CheckedJob } from "./check-job.ts";
import type { Sandbox, SandboxLimits, SandboxRecord, SandboxResult } from "./sandbox.ts";
import { Turns } from "./turns.ts";

/** How one attempt at a run ended. */
export interface Attempt {
  readonly result: SandboxResult;
  /** Whether the machine may have decided it: it is tried again, alone. */
  readonly retry: boolean;
}

/** A kind of sandbox: how it runs a program once. */
export interface SandboxKind extends Pick<SandboxRecord, "kind" | "version" | "sha256" | "seed"> {
  attempt(job: CheckedJob, signal: AbortSignal | undefined): Promise<Attempt>;
  /** Ends what runs. */
  close(): void;
}

const pauseMs = 200; // what was short may be there again

/**
 * A sandbox that runs so many programs at a time, and one again without neighbours where the machine may have decided its end.
 * @param concurrency - one fewer than cores by default, at least one
 */
export function scheduledSandbox(
  { kind, version, sha256, seed, attempt, close }: SandboxKind,
  limits: SandboxLimits,
  concurrency: number = Math.max(1, availableParallelism() - 1),
): Sandbox {
  const turns = new Turns(concurrency);
  return {
    record: { kind, version, sha256, limits, network: "none", seed },
    concurrency,
    run: async (job) => {
      const checked = checkJob(job, limits);
      const { signal } = job;
      const first = await turns.take(() => attempt(checked, signal), { signal });
      if (first?.retry !== true) return first?.result ?? aborted;
      const again = (): Promise<Attempt> => delay(pauseMs).then(() => attempt(checked, signal));
      return (await turns.take(again, { signal, alone: true }))?.result ?? aborted;
    },
    close: async () => {
      turns.close();
      close();
    },
  };
}

const aborted: SandboxResult = { status: "aborted", exitCode: null, stdout: "", stderr: "", seconds: 0 };

/** A run that the machine ended, not the program. */
export function undecided(reason: string, seconds: number): Attempt {
  return { result: { status: "undecided", exitCode: null, stdout: "", stderr: reason, seconds }, retry: true };
}
