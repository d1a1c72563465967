import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, existsSync, realpathSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { LaconicError } from "@laconic/core";
import {
  checkLimits,
  type CheckedJob,
  scheduledSandbox,
  undecided,
  type Attempt,
  type KindOptions,
  type SandboxKind,
} from "../scheduled-sandbox.ts";
import { harness, harnessSource } from "../grading/harness.ts";
import { lastDescendant, outOfMemoryKills, waitedSeconds, timeLimit, watchTime, type TimeEnd } from "../time-limit.ts";
import { statusOf, type Sandbox, type SandboxLimits, type SandboxStatus } from "../sandbox.ts";
import { systemCallFilter } from "./system-call-filter.ts";

/** Exit code of a program that SIGKILL ended. */
const killed = 137;
/** Start limit in milliseconds, for a busy machine. */
const maxStartMs = 120_000;

/**
 * Sandbox with the system's Python in its own namespaces: no network, no other processes, 16 MiB of writable `/tmp`.
 * Linux with `bwrap` only; `createSandbox` runs the self-test.
 * @throws LaconicError `device_unavailable`, `config_invalid`
 */
export function bubblewrapSandbox({
  python,
  ...options
}: KindOptions & { readonly python?: string | undefined }): Sandbox {
  const { limits } = options;
  checkLimits(limits);
  const native = nativePython(python);
  const { version, sha256 } = native;
  const closed = new AbortController();
  const kind: SandboxKind = {
    kind: "bubblewrap",
    version,
    sha256,
    seed: null,
    attempt: (job, signal) => {
      const either = AbortSignal.any([closed.signal, ...(signal ? [signal] : [])]);
      return attempt(native, job, limits, either);
    },
    close: () => closed.abort(),
  };
  return scheduledSandbox(kind, options);
}

async function attempt(
  native: NativePython,
  job: CheckedJob,
  limits: SandboxLimits,
  signal: AbortSignal,
): Promise<Attempt> {
  const killsBefore = await outOfMemoryKills();
  const limit = timeLimit(job.seconds);
  const python = ["-I", "-S", "-B", "-X", "utf8", "-c", bootstrap(limits, job, limit.lastSeconds)];
  const child = spawn(native.bwrap, ["--seccomp", "3", ...wrapArguments(native), native.executable, ...python], {
    env: {},
    cwd: "/",
    stdio: ["pipe", "pipe", "pipe", "pipe", "pipe"],
  });
  const [stdin, , , filter, onStart] = child.stdio as [Writable, Readable, Readable, Writable, Readable];
  for (const stream of [stdin, filter, onStart]) stream.on("error", () => undefined);
  let ending: SandboxStatus | TimeEnd | null = null;
  /** The first reason is kept. */
  const end = (reason: SandboxStatus | TimeEnd): void => {
    ending ??= reason;
    // Killing bwrap's child kills every process inside.
    child.kill("SIGKILL");
  };
  const output = outputWithin(job.outputBytes, [child.stdout, child.stderr], () => end("output"));
  let startMs = performance.now();
  const elapsed = (): number => (performance.now() - startMs) / 1000;
  let interpreter: number | null = null;
  let waited = 0;
  /** Computing and sleeping, without waiting for a processor. */
  const used = async (): Promise<number | null> => {
    interpreter ??= await lastDescendant(child.pid ?? 0);
    const reported = await waitedSeconds(interpreter);
    waited = reported ?? waited;
    return reported === null ? null : elapsed() - reported;
  };
  let stopWatch: (() => void) | null = null;
  const lateStart = setTimeout(() => end("stalled"), maxStartMs);
  onStart.once("data", () => {
    clearTimeout(lateStart);
    startMs = performance.now();
    stopWatch = child.exitCode === null ? watchTime(limit, used, end) : () => undefined;
  });
  const abort = (): void => end("aborted");
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  filter.end(systemCallFilter());
  const code = Buffer.from(job.code);
  stdin.end(Buffer.concat([Buffer.from(String(code.length).padStart(8)), code, Buffer.from(job.stdin)]));
  const exit = await new Promise<{ readonly code: number | null; readonly error?: Error }>((resolve) => {
    child.on("error", (error) => resolve({ code: null, error }));
    child.on("close", (exitCode) => resolve({ code: exitCode }));
  });
  const seconds = elapsed();
  clearTimeout(lateStart);
  (stopWatch as (() => void) | null)?.();
  signal.removeEventListener("abort", abort);
  const isShort = killsBefore !== null && exit.code === killed && (await outOfMemoryKills()) !== killsBefore;
  const [stdout = "", stderr = ""] = output();
  const ended = (status: SandboxStatus, exitCode: number | null = null): Attempt => {
    const isLate = status === "time" && ending === null;
    return { result: { status, exitCode, stdout, stderr, seconds }, retry: isLate };
  };
  const reason = ending as SandboxStatus | TimeEnd | null;
  if (reason === "stalled") return undecided("the machine gave the program no processor", seconds);
  if (reason !== null) return ended(reason);
  if (exit.code === null || stopWatch === null) {
    const words = exit.error?.message ?? (stderr.slice(-300) || "it was killed");
    return undecided(`the sandbox did not run: ${words}`, seconds);
  }
  // A program that kills itself does not count as killed for memory.
  if (isShort) return undecided("the machine ran out of memory", seconds);
  if (seconds - waited > limit.seconds) return ended("time");
  return ended(exit.code > 128 ? "crashed" : statusOf(exit.code), exit.code);
}

function outputWithin(max: number, streams: readonly Readable[], onFull: () => void): () => string[] {
  let left = max;
  const all = streams.map((stream) => {
    const pieces: Buffer[] = [];
    stream.on("data", (bytes: Buffer) => {
      pieces.push(bytes.subarray(0, Math.max(0, left)));
      left -= bytes.length;
      if (left < 0) onFull();
    });
    return pieces;
  });
  return () => all.map((pieces) => Buffer.concat(pieces).toString());
}

/** Limits set inside, then the shared runner. */
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
    // Closes inherited descriptors.
    "os.closerange(5, 1 << 20)",
    ...limits.map(([name, max]) => `resource.setrlimit(resource.${name}, (${max}, ${max}))`),
    ...Object.entries(files).map(([name, text]) => `open(${pythonText(name)}, "w").write(${pythonText(text)})`),
    readFileSync(new URL("../../assets/runner.py", import.meta.url), "utf8"),
    `provide(${pythonText(harness.name)}, ${pythonText(harnessSource())})`,
    // Precedes all code of the program.
    "os.write(4, b'1')",
    "os.close(4)",
    "run()",
  ].join("\n");
}

function pythonText(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[^ -~]/gu,
    (char) => `\\U${char.codePointAt(0)!.toString(16).padStart(8, "0")}`,
  );
}

export interface NativePython {
  readonly bwrap: string;
  readonly executable: string;
  readonly version: string;
  readonly sha256: string;
  readonly folders: readonly string[];
}

/**
 * Finds `bwrap` and Python, and checks that namespaces are allowed.
 * @throws LaconicError `device_unavailable`
 */
export function nativePython(python = "python3"): NativePython {
  const missing = (reason: string): LaconicError =>
    new LaconicError("device_unavailable", `the bubblewrap sandbox needs ${reason}`, { kind: "bubblewrap" });
  if (process.platform !== "linux") throw missing("Linux");
  const bwrap = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"].find(existsSync);
  if (bwrap === undefined) throw missing("bwrap (Debian: apt install bubblewrap)");
  const code = "import sys, platform; print(sys.executable); print(sys.base_prefix); print(platform.python_version())";
  if (systemCallFilter() === null) throw missing(`a filter of system calls, and has none for ${process.arch}`);
  const asked = spawnSync(python, ["-I", "-c", code], { encoding: "utf8", timeout: 20_000 });
  const [executable, prefix, version] = (asked.stdout ?? "").trim().split("\n");
  if (asked.status !== 0 || executable === undefined || prefix === undefined)
    throw missing(`Python: ${python} does not run`);
  const real = realpathSync(executable);
  const match: NativePython = {
    bwrap,
    executable: real,
    version: `CPython ${version} under ${spawnSync(bwrap, ["--version"], { encoding: "utf8" }).stdout.trim()}`,
    sha256: createHash("sha256").update(readFileSync(real)).digest("hex"),
    folders: [...new Set(["/usr", "/lib", "/lib64", realpathSync(prefix)])].filter(existsSync),
  };
  const tried = spawnSync(bwrap, [...wrapArguments(match), real, "-I", "-c", ""], {
    encoding: "utf8",
    timeout: 20_000,
  });
  if (tried.status !== 0) throw missing(`user namespaces, which this system refuses: ${(tried.stderr ?? "").trim()}`);
  return match;
}

/**
 * Mounts an empty root with the read-only runtime. The kernel treats a sandbox started by root as root, so `/proc`,
 * `/sys` and `/dev` are missing.
 */
export function wrapArguments({ folders }: NativePython): string[] {
  const read = folders.flatMap((path) => ["--ro-bind", path, path]);
  // The root is in memory without a size limit.
  const write = ["--size", String(16 << 20), ..."--tmpfs /tmp --chdir /tmp --remount-ro /".split(" ")];
  return [...isolation.split(" "), ...read, ...write];
}

const isolation =
  "--unshare-all --unshare-user --uid 65534 --gid 65534 --die-with-parent --new-session --clearenv --cap-drop ALL --hostname sandbox";
