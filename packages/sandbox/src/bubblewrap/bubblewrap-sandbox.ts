import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { availableParallelism } from "node:os";
import { checkJob, checkLimits, type CheckedJob } from "../check-job.ts";
import { statusOf, type Sandbox, type SandboxLimits, type SandboxStatus } from "../sandbox.ts";
import { harness, harnessSource } from "../grading/harness.ts";
import { lastDescendant, outOfMemoryKills, waitedSeconds } from "../process-time.ts";
import { settle, undecided, type Attempt } from "../settle.ts";
import { timeLimit, watchTime, type TimeEnd, type TimeLimit } from "../time-limit.ts";
import { Turns } from "../turns.ts";
import { systemCallFilter } from "./system-call-filter.ts";
import { nativePython, wrapArguments, type NativePython } from "./native-python.ts";

export interface BubblewrapOptions {
  readonly limits: SandboxLimits;
  readonly concurrency?: number;
  /** Default `python3`. */
  readonly python?: string;
}

/** Exit code of a program that was ended by SIGKILL. */
const killed = 137;
/** Milliseconds that an interpreter may take to start, however busy the machine is. */
const maxStartMs = 120_000;

/**
 * The machine's Python in namespaces of its own: no network, no processes but its own, nothing to write but 16 MiB of
 * `/tmp`. Linux with `bwrap` only. The self-test is `createSandbox`'s.
 * @throws LaconicError `device_unavailable` with what is missing, `config_invalid` on limits out of range
 */
export function bubblewrapSandbox({
  limits,
  concurrency = Math.max(1, availableParallelism() - 1),
  python,
}: BubblewrapOptions): Sandbox {
  checkLimits(limits);
  const native = nativePython(python);
  const turns = new Turns(concurrency);
  const running = new Set<BubblewrapProcess>();
  const runOnce = async (job: CheckedJob, signal: AbortSignal | undefined): Promise<Attempt> => {
    const killsBefore = await outOfMemoryKills();
    const run = new BubblewrapProcess(native, job, limits);
    running.add(run);
    try {
      return await run.finish(signal, killsBefore);
    } finally {
      running.delete(run);
    }
  };
  return {
    record: { kind: "bubblewrap", version: native.version, sha256: native.sha256, limits, network: "none", seed: null },
    concurrency,
    run: async (job) => {
      const checked = checkJob(job, limits);
      return settle(turns, () => runOnce(checked, job.signal), job.signal);
    },
    close: async () => {
      turns.close();
      for (const run of running) run.end("aborted");
    },
  };
}

/** One program in one process of its own, from its start to its end. */
class BubblewrapProcess {
  readonly #child: ChildProcess;
  readonly #limit: TimeLimit;
  readonly #output = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  #outputLeft: number;
  #startMs = performance.now();
  #isStarted = false;
  /** Why it was ended from outside; null for a program that ends by itself. */
  #ending: SandboxStatus | TimeEnd | null = null;
  #stopWatch = (): void => undefined;
  #interpreter: number | null = null;
  /** Seconds in which it was ready and had to wait for a processor. */
  #waited = 0;

  constructor(native: NativePython, job: CheckedJob, limits: SandboxLimits) {
    this.#limit = timeLimit(job.seconds);
    this.#outputLeft = job.outputBytes;
    const python = [native.executable, "-I", "-S", "-B", "-X", "utf8"];
    const program = bootstrap(limits, job, this.#limit.lastSeconds);
    this.#child = spawn(native.bwrap, ["--seccomp", "3", ...wrapArguments(native), ...python, "-c", program], {
      env: {},
      cwd: "/",
      stdio: ["pipe", "pipe", "pipe", "pipe", "pipe"],
    });
    this.#write(this.#child.stdio[3] as Writable, systemCallFilter()); // bwrap refuses to start without it
    const code = Buffer.from(job.code);
    const size = Buffer.from(String(code.length).padStart(8));
    this.#write(this.#child.stdin as Writable, Buffer.concat([size, code, Buffer.from(job.stdin)]));
    this.#collect("stdout");
    this.#collect("stderr");
  }

  /** The first reason stands. */
  readonly end = (reason: SandboxStatus | TimeEnd): void => {
    this.#ending ??= reason;
    // It is the first process of the namespace's parent: with it, everything inside dies.
    this.#child.kill("SIGKILL");
  };

  /** @param killsBefore - of the kernel for want of memory, before it began */
  async finish(signal: AbortSignal | undefined, killsBefore: number | null): Promise<Attempt> {
    const lateStart = setTimeout(() => this.end("stalled"), maxStartMs);
    const onStart = this.#child.stdio[4] as Readable;
    onStart.on("error", () => undefined);
    onStart.once("data", () => {
      clearTimeout(lateStart);
      this.#started();
    });
    const abort = (): void => this.end("aborted");
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    const exit = await new Promise<Exit>((resolve) => {
      this.#child.on("error", (error) => resolve({ code: null, error }));
      this.#child.on("close", (code) => resolve({ code }));
    });
    const seconds = this.#seconds();
    clearTimeout(lateStart);
    this.#stopWatch();
    signal?.removeEventListener("abort", abort);
    const isShortOfMemory = killsBefore !== null && exit.code === killed && (await outOfMemoryKills()) !== killsBefore;
    return this.#attempt(exit, seconds, isShortOfMemory);
  }

  #write(stream: Writable, bytes: Uint8Array | null): void {
    stream.on("error", () => undefined); // a program need not read
    stream.end(bytes);
  }

  #collect(name: "stdout" | "stderr"): void {
    this.#child[name]?.on("data", (bytes: Buffer) => {
      this.#output[name].push(bytes.subarray(0, Math.max(0, this.#outputLeft)));
      this.#outputLeft -= bytes.length;
      if (this.#outputLeft < 0) this.end("output");
    });
  }

  #started(): void {
    this.#isStarted = true;
    this.#startMs = performance.now();
    if (this.#child.exitCode === null) this.#stopWatch = watchTime(this.#limit, () => this.#used(), this.end);
  }

  #seconds(): number {
    return (performance.now() - this.#startMs) / 1000;
  }

  /** Seconds that it computes and sleeps: all time but that in which it waited for a processor. */
  async #used(): Promise<number | null> {
    this.#interpreter ??= await lastDescendant(this.#child.pid ?? 0);
    const reported = await waitedSeconds(this.#interpreter);
    this.#waited = reported ?? this.#waited;
    return reported === null ? null : this.#seconds() - reported;
  }

  #attempt(exit: Exit, seconds: number, isShortOfMemory: boolean): Attempt {
    const stdout = Buffer.concat(this.#output.stdout).toString();
    const stderr = Buffer.concat(this.#output.stderr).toString();
    const ended = (status: SandboxStatus | TimeEnd, exitCode: number | null, retry = false): Attempt => ({
      result: { status: status as SandboxStatus, exitCode, stdout, stderr, seconds },
      retry,
    });
    if (this.#ending === "stalled") return undecided("the machine gave the program no processor", seconds);
    if (this.#ending !== null) return ended(this.#ending, null);
    if (exit.error || exit.code === null || !this.#isStarted) {
      const reason = exit.error?.message ?? (stderr.slice(-300) || "it was killed");
      return undecided(`the sandbox did not run: ${reason}`, seconds);
    }
    // A program that kills itself is no victim of the machine: the kernel says which it was.
    if (isShortOfMemory) return undecided("the machine ran out of memory", seconds);
    if (seconds - this.#waited > this.#limit.seconds) return ended("time", null, true);
    return ended(exit.code > 128 ? "crashed" : statusOf(exit.code), exit.code);
  }
}

interface Exit {
  readonly code: number | null;
  readonly error?: Error;
}

/** Limits that hold inside, then the runner that both kinds share. Files are written into its root of memory. */
function bootstrap({ memoryMiB }: SandboxLimits, { files }: CheckedJob, seconds: number): string {
  const bytes = memoryMiB * 2 ** 20;
  const limits = [
    ["RLIMIT_AS", bytes],
    ["RLIMIT_NPROC", 16],
    ["RLIMIT_FSIZE", 16 * 2 ** 20],
    ["RLIMIT_NOFILE", 64],
    ["RLIMIT_CORE", 0],
    ["RLIMIT_CPU", Math.ceil(seconds) + 1],
  ] as const;
  return [
    "import os, resource",
    // Whoever started Node may have left descriptors open for all of its children.
    "os.closerange(5, 1 << 20)",
    ...limits.map(([name, max]) => `resource.setrlimit(resource.${name}, (${max}, ${max}))`),
    ...Object.entries(files).map(([name, text]) => `open(${pythonText(name)}, "w").write(${pythonText(text)})`),
    readFileSync(new URL("../../assets/runner.py", import.meta.url), "utf8"),
    `provide(${pythonText(harness.name)}, ${pythonText(harnessSource())})`,
    // Before any of the program runs: what comes after is its doing.
    "os.write(4, b'1')",
    "os.close(4)",
    "run()",
  ].join("\n");
}

/** A Python literal in ASCII. */
function pythonText(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[^ -~]/gu,
    (char) => `\\U${(char.codePointAt(0) as number).toString(16).padStart(8, "0")}`,
  );
}
