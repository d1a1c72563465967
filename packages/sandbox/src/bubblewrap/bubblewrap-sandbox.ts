import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { availableParallelism } from "node:os";
import { checkJob, checkLimits, type CheckedJob } from "../check-job.ts";
import type { Sandbox, SandboxLimits, SandboxStatus } from "../sandbox.ts";
import { harness, harnessSource } from "../grading/harness.ts";
import { lastDescendant, outOfMemoryKills, waitedSeconds } from "../process-time.ts";
import { settle, undecided, type Attempt } from "../settle.ts";
import { timeLimit, watchTime, type TimeEnd } from "../time-limit.ts";
import { Turns } from "../turns.ts";
import { systemCallFilter } from "./system-call-filter.ts";
import { nativePython, wrapArguments, type NativePython } from "./native-python.ts";

export interface BubblewrapOptions {
  readonly limits: SandboxLimits;
  readonly concurrency?: number;
  /** Default `python3`. */
  readonly python?: string;
}

const outOfMemory = 86;
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
  const running = new Set<() => void>();
  return {
    record: { kind: "bubblewrap", version: native.version, sha256: native.sha256, limits, network: "none", seed: null },
    concurrency,
    run: async (job) => {
      const checked = checkJob(job, limits);
      return settle(turns, () => runOnce(native, checked, limits, job.signal, running), job.signal);
    },
    close: async () => {
      turns.close();
      for (const kill of running) kill();
    },
  };
}

async function runOnce(
  native: NativePython,
  job: CheckedJob,
  limits: SandboxLimits,
  signal: AbortSignal | undefined,
  running: Set<() => void>,
): Promise<Attempt> {
  const killsBefore = await outOfMemoryKills();
  const limit = timeLimit(job.seconds);
  let start = performance.now();
  const child = spawn(
    native.bwrap,
    [
      "--seccomp",
      "3",
      ...wrapArguments(native),
      native.executable,
      "-I",
      "-S",
      "-B",
      "-X",
      "utf8",
      "-c",
      bootstrap(limits, job, limit.lastSeconds),
    ],
    {
      env: {},
      cwd: "/",
      stdio: ["pipe", "pipe", "pipe", "pipe", "pipe"],
    },
  );
  const filter = child.stdio[3] as Writable;
  filter.on("error", () => undefined); // bwrap refuses to start without it
  filter.end(systemCallFilter());
  let ended: SandboxStatus | TimeEnd | null = null;
  const end = (how: SandboxStatus | TimeEnd): void => {
    ended ??= how;
    // It is the first process of the namespace's parent: with it, everything inside dies.
    child.kill("SIGKILL");
  };
  const streams = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  let left = job.outputBytes;
  for (const name of ["stdout", "stderr"] as const)
    child[name].on("data", (bytes: Buffer) => {
      streams[name].push(bytes.subarray(0, Math.max(0, left)));
      left -= bytes.length;
      if (left < 0) end("output");
    });
  child.stdin.on("error", () => undefined); // a program need not read
  const program = Buffer.from(job.code);
  child.stdin.end(Buffer.concat([Buffer.from(String(program.length).padStart(8)), program, Buffer.from(job.stdin)]));
  // What it computes and sleeps: all time but that in which it was ready and had to wait for a processor.
  let python: number | null = null;
  let waited = 0;
  const used = async (): Promise<number | null> => {
    python ??= await lastDescendant(child.pid ?? 0);
    const reported = await waitedSeconds(python);
    waited = reported ?? waited;
    return reported === null ? null : (performance.now() - start) / 1000 - reported;
  };
  let isStarted = false;
  let stopWatch = (): void => undefined;
  const lateStart = setTimeout(() => end("stalled"), maxStartMs);
  const onStart = child.stdio[4] as Readable;
  onStart.on("error", () => undefined);
  onStart.once("data", () => {
    clearTimeout(lateStart);
    isStarted = true;
    start = performance.now();
    if (child.exitCode === null) stopWatch = watchTime(limit, used, end);
  });
  const abort = (): void => end("aborted");
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  const kill = (): void => end("aborted");
  running.add(kill);
  const exit = await new Promise<{ readonly code: number | null; readonly error?: Error }>((resolve) => {
    child.on("error", (error) => resolve({ code: null, error }));
    child.on("close", (code) => resolve({ code }));
  });
  const seconds = (performance.now() - start) / 1000;
  clearTimeout(lateStart);
  stopWatch();
  signal?.removeEventListener("abort", abort);
  running.delete(kill);
  const text = (pieces: Buffer[]): string => Buffer.concat(pieces).toString();
  const [stdout, stderr] = [text(streams.stdout), text(streams.stderr)];
  const how = ended as SandboxStatus | TimeEnd | null; // it changes in callbacks
  if (how === "stalled") return undecided("the machine gave the program no processor", seconds);
  if (how !== null) return { result: { status: how, exitCode: null, stdout, stderr, seconds }, retry: false };
  if (exit.error || exit.code === null || !isStarted)
    return undecided(
      `the sandbox did not run: ${exit.error?.message ?? (stderr.slice(-300) || "it was killed")}`,
      seconds,
    );
  // A program that kills itself is no victim of the machine: the kernel says which it was.
  if (exit.code === killed && killsBefore !== null && (await outOfMemoryKills()) !== killsBefore)
    return undecided("the machine ran out of memory", seconds);
  if (seconds - waited > limit.seconds)
    return { result: { status: "time", exitCode: null, stdout, stderr, seconds }, retry: true };
  return { result: { status: statusOf(exit.code), exitCode: exit.code, stdout, stderr, seconds }, retry: false };
}

function statusOf(exitCode: number | null): SandboxStatus {
  if (exitCode === 0) return "ok";
  if (exitCode === null || exitCode > 128) return "crashed";
  return exitCode === outOfMemory ? "memory" : "exception";
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
    ...limits.map(([name, most]) => `resource.setrlimit(resource.${name}, (${most}, ${most}))`),
    ...Object.entries(files).map(([name, text]) => `open(${pythonText(name)}, "w").write(${pythonText(text)})`),
    readFileSync(new URL("../../assets/runner.py", import.meta.url), "utf8"),
    "module = type(sys)(" + pythonText(harness.name) + ")",
    `exec(compile(${pythonText(harnessSource())}, "<${harness.name}>", "exec"), module.__dict__)`,
    "sys.modules[module.__name__] = module",
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
