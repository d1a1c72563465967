import { availableParallelism } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { LaconicError } from "@laconic/core";
import { Turns } from "@laconic/core/async";
import { checkJob, type CheckedJob } from "./check-job.ts";
import type { Sandbox, SandboxLimits, SandboxRecord, SandboxResult } from "./sandbox.ts";

/** What every kind of sandbox takes. */
export interface KindOptions {
  readonly limits: SandboxLimits;
  /** Programs at a time. Default: one fewer than cores, at least one. */
  readonly concurrency?: number | undefined;
}

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

/** A sandbox that runs so many programs at a time, and one again without neighbours where the machine may have decided its end. */
export function scheduledSandbox(
  { kind, version, sha256, seed, attempt, close }: SandboxKind,
  { limits, concurrency = Math.max(1, availableParallelism() - 1) }: KindOptions,
): Sandbox {
  const turns = new Turns(concurrency);
  return {
    record: { kind, version, sha256, limits, network: "none", seed },
    concurrency,
    run: async (job) => {
      const checked = checkJob(job, limits);
      const { signal } = job;
      const take = async (alone: boolean): Promise<Attempt> => {
        const places = alone ? concurrency : 1;
        try {
          await turns.enter(signal, places, alone);
        } catch (error) {
          if (signal?.aborted) return aborted;
          throw error;
        }
        if (alone) await delay(pauseMs);
        return attempt(checked, signal).finally(() => turns.leave(places));
      };
      const first = await take(false);
      return (first.retry ? await take(true) : first).result;
    },
    close: async () => {
      turns.close(new LaconicError("engine_failed", "the sandbox was closed"));
      close();
    },
  };
}

const nothing = { exitCode: null, stdout: "", stderr: "" } as const;
const aborted: Attempt = { result: { status: "aborted", ...nothing, seconds: 0 }, retry: false };

/** A run that the machine ended, not the program. */
export function undecided(reason: string, seconds: number): Attempt {
  return { result: { status: "undecided", ...nothing, stderr: reason, seconds }, retry: true };
}
