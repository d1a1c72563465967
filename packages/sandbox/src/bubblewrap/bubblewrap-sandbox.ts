import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Writable } from "node:stream";
import { availableParallelism } from "node:os";
import { checkJob, type CheckedJob } from "../check-job.ts";
import type { Sandbox, SandboxLimits, SandboxResult, SandboxStatus } from "../sandbox.ts";
import { harness, harnessSource } from "../grading/harness.ts";
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

/**
 * The machine's Python in namespaces of its own: no network, no processes but its own, nothing to write but 16 MiB of
 * `/tmp`. Linux with `bwrap` only. The self-test is `createSandbox`'s.
 * @throws LaconicError `device_unavailable` with what is missing
 */
export function bubblewrapSandbox({
  limits,
  concurrency = Math.max(1, availableParallelism() - 1),
  python,
}: BubblewrapOptions): Sandbox {
  const native = nativePython(python);
  const turns = new Turns(concurrency);
  const running = new Set<() => void>();
  return {
    record: { kind: "bubblewrap", version: native.version, sha256: native.sha256, limits, network: "none", seed: null },
    concurrency,
    run: async (job) => {
      const checked = checkJob(job, limits);
      return turns.take(() => runOnce(native, checked, limits, job.signal, running));
    },
    close: async () => {
      turns.close();
      for (const kill of running) kill();
    },
  };
}

function runOnce(
  native: NativePython,
  job: CheckedJob,
  limits: SandboxLimits,
  signal: AbortSignal | undefined,
  running: Set<() => void>,
): Promise<SandboxResult> {
  const start = performance.now();
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
      bootstrap(limits, job),
    ],
    {
      env: {},
      cwd: "/",
      stdio: ["pipe", "pipe", "pipe", "pipe"],
    },
  );
  const filter = child.stdio[3] as Writable;
  filter.on("error", () => undefined); // bwrap refuses to start without it
  filter.end(systemCallFilter());
  let ended: SandboxStatus | null = null;
  const end = (status: SandboxStatus): void => {
    ended ??= status;
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
  const timer = setTimeout(() => end("time"), job.seconds * 1000);
  const abort = (): void => end("aborted");
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort, { once: true });
  const kill = (): void => end("aborted");
  running.add(kill);
  return new Promise((resolve) => {
    const finish = (exitCode: number | null): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      running.delete(kill);
      const text = (pieces: Buffer[]): string => Buffer.concat(pieces).toString();
      const status = ended ?? statusOf(exitCode);
      const seconds = (performance.now() - start) / 1000;
      const code = ended === null ? exitCode : null;
      resolve({ status, exitCode: code, stdout: text(streams.stdout), stderr: text(streams.stderr), seconds });
    };
    child.on("error", () => finish(null));
    child.on("close", finish);
  });
}

function statusOf(exitCode: number | null): SandboxStatus {
  if (exitCode === 0) return "ok";
  if (exitCode === null || exitCode > 128) return "crashed";
  return exitCode === outOfMemory ? "memory" : "exception";
}

/** Limits that hold inside, then the runner that both kinds share. Files are written into its root of memory. */
function bootstrap({ memoryMiB, seconds }: SandboxLimits, { files }: CheckedJob): string {
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
    "import resource",
    ...limits.map(([name, most]) => `resource.setrlimit(resource.${name}, (${most}, ${most}))`),
    ...Object.entries(files).map(([name, text]) => `open(${pythonText(name)}, "w").write(${pythonText(text)})`),
    readFileSync(new URL("../../assets/runner.py", import.meta.url), "utf8"),
    "module = type(sys)(" + pythonText(harness.name) + ")",
    `exec(compile(${pythonText(harnessSource())}, "<${harness.name}>", "exec"), module.__dict__)`,
    "sys.modules[module.__name__] = module",
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
