import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { CheckedJob } from "../check-job.ts";
import type { SandboxResult, SandboxStatus } from "../sandbox.ts";
import { harness } from "../grading/harness.ts";
import { interpreterFiles } from "./interpreter.ts";

/** What every run of a process shares. */
export interface ProcessOptions {
  readonly memoryMiB: number;
  readonly seed: number;
}

interface Reply {
  readonly status: SandboxStatus | "ready";
  readonly exitCode?: number | null;
  readonly stdout?: string;
  readonly stderr?: string;
}

const mebibyte = 1 << 20;
const pageBytes = 65_536;

/** A process that holds a started interpreter; one program at a time. */
export class LockedProcess {
  readonly #child: ChildProcess;
  readonly #ready: Promise<void>;
  #hear: ((reply: Reply | null) => void) | null = null;
  #dead = false;
  #runs = 0;

  constructor({ memoryMiB, seed }: ProcessOptions) {
    const { python, shim, shimFolder, assets } = interpreterFiles();
    const reads = [join(assets, "*"), python, join(shimFolder, "*")];
    const child = spawn(
      process.execPath,
      [
        // Node 20 knows the permission model by its first name only.
        process.allowedNodeEnvironmentFlags.has("--permission") ? "--permission" : "--experimental-permission",
        ...reads.map((path) => `--allow-fs-read=${path}`),
        "--no-warnings",
        "--disallow-code-generation-from-strings",
        "--max-old-space-size=512",
        join(assets, "wasi", "child.mjs"),
        python,
        shim,
        join(assets, "runner.py"),
        String((memoryMiB * mebibyte) / pageBytes),
        String(seed),
        harness.name,
        ...harness.files.map((file) => join(assets, "grading", file)),
      ],
      { env: {}, cwd: "/", stdio: ["pipe", "pipe", "pipe"] },
    );
    this.#child = child;
    const died = (): void => {
      this.#dead = true;
      this.#hear?.(null);
    };
    child.on("error", died);
    child.on("exit", died);
    child.stdin.on("error", () => undefined); // its exit says enough
    child.stderr.resume();
    this.#ready = new Promise((resolve) => {
      this.#hear = () => resolve();
    });
    createInterface({ input: child.stdout }).on("line", (line) => this.#hear?.(JSON.parse(line) as Reply));
    this.#rest();
  }

  /** Whether it can take another program. */
  get usable(): boolean {
    return !this.#dead && this.#runs < 2000;
  }

  /** Runs a program; a process that is ended for it is not used again. */
  async run(job: CheckedJob, signal: AbortSignal | undefined): Promise<SandboxResult> {
    this.#wake();
    await this.#ready;
    this.#runs++;
    const start = performance.now();
    let ended: SandboxStatus = "crashed";
    const reply = await new Promise<Reply | null>((resolve) => {
      if (this.#dead) return resolve(null);
      const end = (status: SandboxStatus): void => {
        ended = status;
        this.kill();
      };
      // Outside of the interpreter, so that nothing inside can put it off.
      const timer = setTimeout(() => end("time"), job.seconds * 1000);
      const abort = (): void => end("aborted");
      if (signal?.aborted) abort();
      signal?.addEventListener("abort", abort, { once: true });
      this.#hear = (heard) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        this.#hear = null;
        resolve(heard);
      };
      const { seconds: _, ...message } = job;
      this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
    });
    const seconds = (performance.now() - start) / 1000;
    if (this.#dead || reply === null) return { status: ended, exitCode: null, stdout: "", stderr: "", seconds };
    this.#rest();
    const { status, exitCode = null, stdout = "", stderr = "" } = reply;
    return { status: status as SandboxStatus, exitCode, stdout, stderr, seconds };
  }

  kill(): void {
    this.#dead = true;
    this.#child.kill("SIGKILL");
  }

  /** An idle process does not keep this one alive. */
  #rest(): void {
    for (const each of this.#handles()) each.unref?.();
  }
  #wake(): void {
    for (const each of this.#handles()) each.ref?.();
  }
  #handles(): { ref?(): void; unref?(): void }[] {
    const { stdin, stdout, stderr } = this.#child;
    return [
      this.#child,
      ...[stdin, stdout, stderr].flatMap((stream) =>
        stream === null ? [] : [stream as { ref?(): void; unref?(): void }],
      ),
    ];
  }
}
