import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

export const root: string = join(import.meta.dirname, "../..");

/** LACONIC_PYTHON or `.venv`; may not exist. */
export const python: string = process.env["LACONIC_PYTHON"] ?? join(root, ".venv/bin/python");

type Row = Record<string, unknown>;

export interface Ran {
  readonly printed: readonly Row[];
  readonly failed: string | null;
}

export interface RunOptions {
  /** Sent as JSON. */
  readonly input?: unknown;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly timeoutMs?: number;
}

/** Runs a program that prints JSON lines. */
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

export function lastOf({ printed, failed }: Ran): Row {
  return (failed === null && printed.at(-1)) || { failed: failed ?? "it printed nothing" };
}

export function peer(script: string, input: unknown, options: RunOptions = {}): Ran {
  if (!existsSync(python)) return { printed: [], failed: `${python} does not exist; set LACONIC_PYTHON` };
  return run(python, [join(root, "bench/peers", script)], { ...options, input });
}

export const wasmFlags: readonly string[] = process.execArgv.filter((flag) => flag.startsWith("--experimental-wasm"));

/** Node's arguments for a TypeScript file of this folder. */
export function tsx(file: string): string[] {
  return [...wasmFlags, "--import", import.meta.resolve("tsx"), join(import.meta.dirname, file)];
}

export function runOurs(file: string, words: readonly string[], options: RunOptions = {}): Ran {
  return run(process.execPath, [...tsx(file), ...words], options);
}

function whyFailed(stderr: string | null): string {
  const lines = (stderr ?? "").split("\n").map((line) => line.trim());
  const printed = lines.filter((line) => line !== "" && !/^(?:Node\.js v|at .+[:)]|[[\]{}^~]+$)/u.test(line));
  const error = printed.findLast((line) => /^(?:[\w.]+\.)?\w*(?:Error|Exception|Interrupt|Exit)\b.*:/u.test(line));
  return error ?? printed.at(-1) ?? "it printed nothing";
}
