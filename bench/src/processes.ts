import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

export const root: string = join(import.meta.dirname, "../..");

/** The command line's program. */
export const laconic: string = join(root, "apps/trainer/assets/laconic.mjs");

/** The checkpoint that the runtime brings. */
export const shipped: string = join(root, "packages/runtime/assets/relay-one-fact");

/** The Python of peers: LACONIC_PYTHON, or that of `.venv`; it may not exist. */
export const python: string = process.env["LACONIC_PYTHON"] ?? join(root, ".venv/bin/python");

/** A line of JSON. */
type Row = Record<string, unknown>;

/** What a program printed, and why it failed; null where it did not. */
export interface Ran {
  readonly printed: readonly Row[];
  readonly failed: string | null;
}

/** How a program is run. */
export interface RunOptions {
  /** Its standard input, as JSON. */
  readonly input?: unknown;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly timeoutMs?: number;
}

/** Runs a program that prints lines of JSON. */
export function run(program: string, words: readonly string[], { input, env, cwd, timeoutMs }: RunOptions = {}): Ran {
  const { status, stdout, stderr } = spawnSync(program, words, {
    encoding: "utf8",
    maxBuffer: 2 ** 26,
    ...(input !== undefined && { input: JSON.stringify(input) }),
    ...(env && { env: { ...process.env, ...env } }),
    ...(cwd !== undefined && { cwd }),
    ...(timeoutMs !== undefined && { timeout: timeoutMs }),
  });
  const lines = (stdout ?? "").split("\n").filter((line) => line.startsWith(`{"`));
  const printed = lines.map((line) => JSON.parse(line) as Row);
  return { printed, failed: status === 0 ? null : whyFailed(stderr) };
}

/** The last line that a program printed, or why there is none. */
export function lastOf({ printed, failed }: Ran): Row {
  return (failed === null && printed.at(-1)) || { failed: failed ?? "it printed nothing" };
}

/** A script of `peers`. */
export function peer(
  script: string,
  input: unknown,
  { words = [], ...options }: RunOptions & { readonly words?: readonly string[] } = {},
): Ran {
  if (!existsSync(python)) return { printed: [], failed: `${python} does not exist; set LACONIC_PYTHON` };
  return run(python, [join(root, "bench/peers", script), ...words], { ...options, input });
}

/** Of this process, what its engine was told of WebAssembly. */
export const wasmFlags: readonly string[] = process.execArgv.filter((flag) => flag.startsWith("--experimental-wasm"));

/** Another of our programs, in a process of its own with the same flags for WebAssembly. */
export function runOurs(file: string, words: readonly string[], options: RunOptions = {}): Ran {
  return run(
    process.execPath,
    [...wasmFlags, "--import", import.meta.resolve("tsx"), join(import.meta.dirname, file), ...words],
    options,
  );
}

/** The same program again, in a process of its own that prints where this one does. */
export function again(file: string, ...words: readonly string[]): void {
  spawnSync(process.execPath, [...process.execArgv, file, ...words], { stdio: ["ignore", "inherit", "inherit"] });
}

/** Why a process failed, in one line of what it wrote: the message of its last error, without stack, source line or version of Node. */
export function whyFailed(stderr: string | null): string {
  const lines = (stderr ?? "").split("\n").map((line) => line.trim());
  const printed = lines.filter((line) => line !== "" && !/^(?:Node\.js v|at .+[:)]|[[\]{}^~]+$)/u.test(line));
  const error = printed.findLast((line) => /^(?:[\w.]+\.)?\w*(?:Error|Exception|Interrupt|Exit)\b.*:/u.test(line));
  return error ?? printed.at(-1) ?? "it said nothing";
}
