import { availableParallelism } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { configError, inputError, LaconicError } from "@laconic/core";
import { Turns } from "@laconic/core/async";
import type { SandboxJob, SandboxLimits, Sandbox, SandboxRecord, SandboxResult } from "./sandbox.ts";

export interface CheckedJob extends Required<Omit<SandboxJob, "signal">> {
  readonly outputBytes: number;
}

const max = { seconds: 1e9, memoryMiB: 2 ** 20, outputBytes: 2 ** 28, inputBytes: 99_999_999 } as const;

/** @throws LaconicError `config_invalid` */
export function checkLimits(limits: SandboxLimits): void {
  const key = (Object.keys(max) as (keyof typeof max)[]).find(
    (name) => !(limits[name] > 0 && limits[name] <= max[name]),
  );
  if (key === undefined) return;
  const reason = `${key} is ${limits[key]}, expected a number above 0, at most ${max[key]}`;
  throw configError(reason, { key });
}

/** @throws LaconicError `input_invalid` */
function checkJob({ code, stdin = "", files = {}, seconds }: SandboxJob, limits: SandboxLimits): CheckedJob {
  const refuse = (reason: string, detail: object): LaconicError => inputError(reason, { ...detail });
  const bytes = [code, stdin, ...Object.values(files)].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes > limits.inputBytes)
    throw refuse(`a program, its input and its files may have ${limits.inputBytes} bytes, got ${bytes}`, { bytes });
  const name = Object.keys(files).find((key) => !/^[\w-][\w.-]{0,63}$/u.test(key));
  if (name !== undefined)
    throw refuse(`the file name ${JSON.stringify(name)} is refused: letters, digits, "_", "-", "."`, { name });
  if (seconds !== undefined && !(seconds > 0))
    throw refuse(`seconds is ${seconds}, expected a positive number`, { seconds });
  const { outputBytes } = limits;
  return { code, stdin, files, seconds: Math.min(seconds ?? limits.seconds, limits.seconds), outputBytes };
}

export interface KindOptions {
  readonly limits: SandboxLimits;
  /** Default: number of cores minus one, at least one. */
  readonly concurrency?: number | undefined;
}

export interface Attempt {
  readonly result: SandboxResult;
  /** The machine may have caused it; the run is repeated alone. */
  readonly retry: boolean;
}

export interface SandboxKind extends Pick<SandboxRecord, "kind" | "version" | "sha256" | "seed"> {
  attempt(job: CheckedJob, signal: AbortSignal | undefined): Promise<Attempt>;
  close(): void;
}

const pauseMs = 200; // a missing resource may be available again

/** Limits concurrency; repeats a run that the machine may have ended, without neighbours. */
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

/** The machine, not the program, ended a run. */
export function undecided(reason: string, seconds: number): Attempt {
  return { result: { status: "undecided", ...nothing, stderr: reason, seconds }, retry: true };
}
