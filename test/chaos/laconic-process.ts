import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll } from "vitest";
import { root } from "../workspace.ts";

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

export interface LaconicProcess {
  readonly ended: Promise<Ended>;
  kill(signal: NodeJS.Signals): void;
  says(text: string | RegExp): Promise<string>;
}

export interface ProcessOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly preload?: string;
  /** Shell command before the program, such as `ulimit -f 10`. */
  readonly before?: string;
}

const entry = join(root, "apps/trainer/assets/laconic.mjs");

/** `--long` tests every point instead of a sample. */
export const isLong: boolean = process.env["LACONIC_CHAOS"] === "long";

// Cleanup is per file, because files run in parallel.
const children = new Set<ChildProcess>();
const folders = new Set<string>();
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

/** Starts the real command line; killed after the file's tests. */
export function startLaconic(words: readonly string[], options: ProcessOptions = {}): LaconicProcess {
  const { environment = {}, preload, before } = options;
  const command = [process.execPath, ...(preload ? ["--import", pathToFileURL(preload).href] : []), entry, ...words];
  const [program, ...args] =
    before === undefined ? command : ["bash", "-c", `${before} && exec "$@"`, "bash", ...command];
  const child = spawn(program as string, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_OPTIONS: "", NO_COLOR: "1", ...environment },
  });
  const printed = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (printed.out += piece));
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (printed.err += piece));
  let isOver = false;
  const ended = once(child, "close").then(([code, signal]): Ended => {
    isOver = true;
    return { code: code as number | null, signal: signal as NodeJS.Signals | null, ...printed };
  });
  children.add(child);
  return {
    ended,
    kill: (signal) => void child.kill(signal),
    async says(text) {
      const has = (): boolean => (typeof text === "string" ? printed.err.includes(text) : text.test(printed.err));
      while (!has() && !isOver) await Promise.race([once(child.stderr, "data"), ended]);
      return printed.err;
    },
  };
}

export function laconic(words: readonly string[], options?: ProcessOptions): Promise<Ended> {
  return startLaconic(words, options).ended;
}

/**
 * Returns what is wrong with a process's exit: a stack, a foreign error, or a failure without an explanation. Null if
 * nothing. Killed processes may print nothing.
 */
export function complaintAbout({ code, signal, out, err }: Ended): string | null {
  const foreign = /^\s+at .+:\d+|unexpected error|^(?:\w*Error|Uncaught|node:|\(node:\d+\))|UnhandledPromise/mu;
  const match = foreign.exec(`${out}\n${err}`);
  if (match) return `says "${match[0].trim()}": ${err.slice(-2000)}`;
  if (signal === "SIGKILL" || code === 0) return null;
  if (code === null) return `ended by ${signal}: ${err.slice(-2000)}`;
  const isExplained = /^laconic: \S|^stopped/mu.test(err) || [130, 143].includes(code);
  return isExplained ? null : `ended with ${code} without a line that says why: ${err.slice(-2000)}`;
}

/** For required steps of a test. @throws Error for a failed process */
export async function done(running: Promise<Ended>): Promise<Ended> {
  const ended = await running;
  if (ended.code !== 0) throw new Error(`ended with ${ended.code ?? ended.signal}: ${ended.err.slice(-2000)}`);
  return ended;
}

export async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "laconic-chaos-"));
  folders.add(folder);
  return folder;
}
