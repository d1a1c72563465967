/** Program to run. */
export interface SandboxJob {
  /** Python source. */
  readonly code: string;
  /** Standard input. */
  readonly stdin?: string;
  /** Read-only files in the root folder, by plain name. */
  readonly files?: Readonly<Record<string, string>>;
  /** CPU seconds (computing and sleeping). Default: the sandbox's limit, which it cannot exceed. */
  readonly seconds?: number;
  readonly signal?: AbortSignal;
}

/** How a run ended. */
export type SandboxStatus =
  | "ok"
  /** An exception, or an exit code other than 0. */
  | "exception"
  | "memory"
  /** Output limit exceeded. */
  | "output"
  /** A module, thread, process or system call is missing in the sandbox. */
  | "unsupported"
  /** CPU time limit exceeded. Wall time does not count. */
  | "time"
  /** The program crashed the interpreter. */
  | "crashed"
  /**
   * Machine failure, also after a retry alone: the interpreter did not start, was killed from outside, or got no
   * processor. Says nothing about the program; `stderr` has the reason.
   */
  | "undecided"
  /** Aborted by `signal`. */
  | "aborted";

/** Status of a program with an exit code below 256; `assets/runner.py` sets 86 and 87. */
export function statusOf(exitCode: number): SandboxStatus {
  const statuses: Readonly<Record<number, SandboxStatus>> = { 0: "ok", 86: "memory", 87: "unsupported" };
  return statuses[exitCode] ?? "exception";
}

/** Result of a run. Program failures are values, not errors. */
export interface SandboxResult {
  readonly status: SandboxStatus;
  /** Null if it was ended from outside. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Wall time in seconds, without waiting for a free process. */
  readonly seconds: number;
}

/** Upper limits of every run. */
export interface SandboxLimits {
  /** CPU seconds: computing and sleeping. */
  readonly seconds: number;
  readonly memoryMiB: number;
  /** Max bytes of standard output and error together. */
  readonly outputBytes: number;
  /** Max bytes of program and standard input together. */
  readonly inputBytes: number;
}

/** Provenance of a score: the sandbox that produced it. */
export interface SandboxRecord {
  readonly kind: "wasi" | "bubblewrap";
  /** Version of the interpreter. */
  readonly version: string;
  /** Hash of the interpreter's bytes. */
  readonly sha256: string;
  readonly limits: SandboxLimits;
  readonly network: "none";
  /** Seed of hashes and random numbers; null for the system's. */
  readonly seed: number | null;
}

/** Runs untrusted Python, each program in a fresh interpreter. */
export interface Sandbox {
  readonly record: SandboxRecord;
  /** Max programs at a time; more wait. */
  readonly concurrency: number;
  /** @throws LaconicError `input_invalid` for a rejected program or file name, `engine_failed` after `close` */
  run(job: SandboxJob): Promise<SandboxResult>;
  /** Ends its processes; waiting runs are rejected. */
  close(): Promise<void>;
}
