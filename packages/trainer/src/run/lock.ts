import { isRecord, LaconicError } from "@laconic/core";
import { tryParseJson } from "@laconic/core/json";
import { joinPath, type FileSystem } from "@laconic/core/files";
import { absolutePath } from "#platform";
import { replaceFile } from "./file-system.ts";
import type { ProcessTable } from "../reading/run-source.ts";

/** Claims that hold directories. A predecessor may have had the same process number. */
const held = new Map<string, string>();

/** Paths of staked claims, for the same reason. */
const staked = new Set<string>();

let claims = 0;

export interface RunLock {
  readonly takenOver: string | null;
  /** Removes the lock, unless another process has replaced it. */
  release(): Promise<void>;
}

/**
 * Locks the directory; replaces the lock of a dead process of this host.
 * Before a process uses `LOCK`, it stakes a claim, a file with its name, and looks for others. At least one of two
 * concurrent processes sees the other and waits, so a new lock is never taken for the stale one.
 * @throws LaconicError `run_locked` naming the holder
 */
export async function lockRun(fs: FileSystem, directory: string, processes: ProcessTable): Promise<RunLock> {
  const path = joinPath(directory, "LOCK");
  const key = absolutePath(directory);
  return alone(fs, directory, processes, async (claim) => {
    const match = await textOf(fs, path);
    const holder = match === null ? null : readHolder(match);
    if (holder && isHolding(holder, directory, processes))
      throw locked(directory, `in use by process ${holder.pid} on ${holder.host}`, path, holder.pid);
    await replaceFile(fs, path, JSON.stringify({ pid: processes.pid, host: processes.host, claim }));
    held.set(key, claim);
    const stale = holder ? `took over the lock of process ${holder.pid}, which is gone` : "replaced an unreadable lock";
    return {
      takenOver: match === null ? null : stale,
      async release() {
        try {
          const now = await textOf(fs, path);
          if (now !== null && readHolder(now)?.claim === claim) await fs.remove(path);
        } finally {
          if (held.get(key) === claim) held.delete(key);
        }
      },
    };
  });
}

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly claim: string;
}

/** Processes of other machines count as alive. */
function isHolding({ pid, host }: Holder, directory: string, processes: ProcessTable): boolean {
  if (host !== processes.host) return true;
  return pid === processes.pid ? held.has(absolutePath(directory)) : processes.isAlive(pid);
}

function locked(directory: string, how: string, file: string, pid: number): LaconicError {
  return new LaconicError("run_locked", `${directory} is ${how}; stop it, or remove ${file} if it is gone`, {
    directory,
    pid,
  });
}

interface Claim {
  readonly name: string;
  readonly host: string;
  readonly pid: number;
}

const waits = { ms: 10, most: 1000 } as const; // milliseconds, count; a claim lasts three small file operations

/**
 * Runs `work` exclusively among living processes. The claim that sorts first stays; others are withdrawn and retried.
 */
async function alone<T>(
  fs: FileSystem,
  directory: string,
  processes: ProcessTable,
  work: (claim: string) => Promise<T>,
): Promise<T> {
  const name = `LOCK.${hostInName(processes)}.${processes.pid}.${String((claims += 1)).padStart(6, "0")}`;
  const path = joinPath(directory, name);
  const stake = async (): Promise<void> => {
    staked.add(path);
    await fs.write(path, "");
  };
  const withdraw = async (): Promise<void> => {
    staked.delete(path);
    await fs.remove(path);
  };
  try {
    await stake();
    for (let wait = 0; ; wait++) {
      const matches = (await fs.list(directory)).flatMap((text) => (text === name ? [] : claimNamed(text)));
      const [other] = matches
        .filter((claim) => isStaked(claim, directory, processes))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1));
      if (!other && staked.has(path)) {
        // Only this process may stake its claim again.
        for (const dead of matches) if (dead.pid !== processes.pid) await fs.remove(joinPath(directory, dead.name));
        return await work(name);
      }
      if (wait === waits.most && other)
        throw locked(
          directory,
          `being taken by process ${other.pid} on ${other.host}`,
          joinPath(directory, other.name),
          other.pid,
        );
      if (!other) await stake();
      else if (other.name < name && staked.has(path)) await withdraw();
      if (other) await new Promise((resolve) => setTimeout(resolve, waits.ms));
    }
  } finally {
    await withdraw();
  }
}

function hostInName({ host }: ProcessTable): string {
  return host.replaceAll(/[^\w-]/gu, "-");
}

function claimNamed(name: string): Claim[] {
  const [, host, pid] = /^LOCK\.([\w-]+)\.(\d+)\.\d+$/u.exec(name) ?? [];
  return host === undefined ? [] : [{ name, host, pid: Number(pid) }];
}

function isStaked({ name, host, pid }: Claim, directory: string, processes: ProcessTable): boolean {
  if (host !== hostInName(processes)) return true;
  return pid === processes.pid ? staked.has(joinPath(directory, name)) : processes.isAlive(pid);
}

function readHolder(text: string): Holder | null {
  const value = tryParseJson(text);
  if (!isRecord(value)) return null;
  const { pid, host, claim = "" } = value;
  return typeof pid === "number" && typeof host === "string" ? { pid, host, claim: String(claim) } : null;
}

/** Returns null for a missing file, even if just removed. */
async function textOf(fs: FileSystem, path: string): Promise<string | null> {
  try {
    return (await fs.exists(path)) ? new TextDecoder().decode(await fs.read(path)) : null;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
