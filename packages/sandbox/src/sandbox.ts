/** Program to run. */
export interface SandboxJob {
  readonly code: string;
  readonly stdin?: string;
  /** Read-only, by plain name. */
  readonly files?: Readonly<Record<string, string>>;
  /** CPU seconds (computing and sleeping), at most the sandbox's limit, the default. */
  readonly seconds?: number;
  readonly signal?: AbortSignal;
}

/** How a run ended. */
export type SandboxStatus =
  | "ok"
  /** Includes exit codes other than 0. */
  | "exception"
  | "memory"
  | "output"
  /** The sandbox lacks a module, thread, process or system call. */
  | "unsupported"
  /** CPU time, not wall time. */
  | "time"
  | "crashed"
  /** Machine failure, also after a retry: says nothing about the program; `stderr` has the reason. */
  | "undecided"
  | "aborted";

/** Status of an exit code below 256; `assets/runner.py` sets 86 and 87. */
export function statusOf(exitCode: number): SandboxStatus {
  const statuses: Readonly<Record<number, SandboxStatus>> = { 0: "ok", 86: "memory", 87: "unsupported" };
  return statuses[exitCode] ?? "exception";
}

/** Result of a run; program failures are values. */
export interface SandboxResult {
  readonly status: SandboxStatus;
  /** Null if it was ended from outside. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Wall time without waiting for a free process. */
  readonly seconds: number;
}

/** Upper limits of every run. */
export interface SandboxLimits {
  /** CPU seconds: computing and sleeping. */
  readonly seconds: number;
  readonly memoryMiB: number;
  /** Standard output and error together. */
  readonly outputBytes: number;
  /** Program and standard input together. */
  readonly inputBytes: number;
}

/** Sandbox that produced a score. */
export interface SandboxRecord {
  readonly kind: "wasi" | "bubblewrap";
  readonly version: string;
  readonly sha256: string;
  readonly limits: SandboxLimits;
  readonly network: "none";
  /** Null for the system's. */
  readonly seed: number | null;
}

/** Runs untrusted Python in fresh interpreters. */
export interface Sandbox {
  readonly record: SandboxRecord;
  /** More programs wait. */
  readonly concurrency: number;
  /** @throws LaconicError `input_invalid`, or `engine_failed` after `close` */
  run(job: SandboxJob): Promise<SandboxResult>;
  /** Rejects waiting runs. */
  close(): Promise<void>;
}
