/** A program to run. */
export interface SandboxJob {
  /** Python. */
  readonly code: string;
  /** What it reads as its standard input. */
  readonly stdin?: string;
  /** Read-only files in its root folder, by plain name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Of its own time: what it computes and sleeps. The sandbox's limit unless it is lower. */
  readonly seconds?: number;
  readonly signal?: AbortSignal;
}

/** How a run ended. */
export type SandboxStatus =
  | "ok"
  /** An exception, or an exit code other than 0. */
  | "exception"
  | "memory"
  /** It wrote more than the limit. */
  | "output"
  /** It needs a module, thread, process or other system call that the sandbox lacks. */
  | "unsupported"
  /** It used more time of its own than it may; how long that took by the wall does not count. */
  | "time"
  /** The interpreter itself died of the program. */
  | "crashed"
  /**
   * The machine's doing, also when it was tried again alone: the interpreter did not start, was ended from outside, or got no
   * processor. Says nothing of the program; `stderr` has the reason.
   */
  | "undecided"
  /** `signal` ended it. */
  | "aborted";

/** Status of a program that ended with an exit code below 256; `assets/runner.py` sets 86 and 87. */
export function statusOf(exitCode: number): SandboxStatus {
  const statuses: Readonly<Record<number, SandboxStatus>> = { 0: "ok", 86: "memory", 87: "unsupported" };
  return statuses[exitCode] ?? "exception";
}

/** Result of a run. Expected ends are values, never errors. */
export interface SandboxResult {
  readonly status: SandboxStatus;
  /** Null when it was ended from outside. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Wall clock, waiting for a free process left out. */
  readonly seconds: number;
}

/** Upper bounds of every run. */
export interface SandboxLimits {
  /** Of a program's own time: what it computes and sleeps. */
  readonly seconds: number;
  readonly memoryMiB: number;
  /** Standard output and error together. */
  readonly outputBytes: number;
  /** Program and standard input together. */
  readonly inputBytes: number;
}

/** What belongs beside every score: the means by which it was made. */
export interface SandboxRecord {
  readonly kind: "wasi" | "bubblewrap";
  /** Of the interpreter. */
  readonly version: string;
  /** Of the interpreter's bytes. */
  readonly sha256: string;
  readonly limits: SandboxLimits;
  readonly network: "none";
  /** Decides hashes and random numbers of a run; null where the system's decide. */
  readonly seed: number | null;
}

/** Runs untrusted Python, each program in an interpreter that has seen no other. */
export interface Sandbox {
  readonly record: SandboxRecord;
  /** Programs that run at a time; more wait. */
  readonly concurrency: number;
  /**
   * @throws LaconicError `input_invalid` for a program or a file name that is refused, `engine_failed` after `close`
   */
  run(job: SandboxJob): Promise<SandboxResult>;
  /** Ends its processes; runs that wait are rejected. */
  close(): Promise<void>;
}
