import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { laconic, root } from "../processes.ts";

const watch = pathToFileURL(join(import.meta.dirname, "watch-process.mjs")).href;

/** Sample of a process in one second; memory in bytes. */
export interface Sample {
  readonly pid: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly rss: number;
  readonly heapUsed: number;
  /** Sockets, pipes, children and pending requests, without timers. */
  readonly handles: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Watched command-line process. */
export interface Watched {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  said(): string;
  /** @throws Error if it ends first, or after five minutes */
  saysAddress(): Promise<string>;
}

export function startWatched(
  words: readonly string[],
  samples: string,
  environment: Readonly<Record<string, string>> = {},
): Watched {
  const child = spawn(process.execPath, ["--import", watch, laconic, ...words], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NO_COLOR: "1", LACONIC_WATCH: samples, ...environment },
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (piece: Buffer) => (printed = (printed + piece.toString()).slice(-100_000)));
  const ended = once(child, "close").then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
  }));
  return {
    child,
    ended,
    said: () => printed,
    async saysAddress() {
      for (const until = performance.now() + 300_000; performance.now() < until;) {
        const [found] = /http:\/\/127\.0\.0\.1:\d+/u.exec(printed) ?? [];
        if (found !== undefined) return found;
        if (child.exitCode !== null || child.signalCode !== null) break;
        await new Promise((done) => setTimeout(done, 50));
      }
      throw new Error(`${words[0]} printed no address: ${printed.slice(-2000)}`);
    },
  };
}

/** Skips a truncated last line; a missing file is empty. */
export function rowsIn<Row>(file: string): Row[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Row);
}

export const mebibytes = (bytes: number): number => Math.round(bytes / 2 ** 18) / 4;

/** Quantile; 0 for an empty list. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
