import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { LaconicError } from "@laconic/core";
import type { FileSystem } from "./file-system.ts";

/** Process that may hold a run directory; injected, so that tests decide who is alive. */
export interface ProcessTable {
  readonly pid: number;
  isAlive(pid: number): boolean;
}

export const nodeProcesses: ProcessTable = {
  pid: process.pid,
  isAlive: (pid) => {
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      // Another user's process answers with EPERM.
      return error instanceof Error && "code" in error && error.code === "EPERM";
    }
  },
};

/** Directories that this very process holds: its number in a lock may also be that of a predecessor. */
const held = new Set<string>();

/**
 * Takes the directory for this process. A lock left by a dead process of this host is taken over.
 * @returns what was taken over, in words, or null
 * @throws LaconicError `run_locked` naming the holder.
 */
export async function lockRun(fs: FileSystem, directory: string, processes: ProcessTable): Promise<string | null> {
  const path = join(directory, "LOCK");
  const own = JSON.stringify({ pid: processes.pid, host: hostname() });
  if (!(await fs.exists(path)) && (await createdFirst(fs, path, own))) {
    held.add(resolve(directory));
    return null;
  }
  const holder = readHolder(await fs.read(path));
  if (holder && isHolding(holder, directory, processes))
    throw new LaconicError(
      "run_locked",
      `${directory} is in use by process ${holder.pid} on ${holder.host}; stop it, or remove ${path} if it is gone`,
      { directory, pid: holder.pid },
    );
  await fs.write(path, own);
  held.add(resolve(directory));
  return holder ? `took over the lock of process ${holder.pid}, which is gone` : "replaced an unreadable lock";
}

interface Holder {
  readonly pid: number;
  readonly host: string;
}

/** Whether a process of another machine lives cannot be seen from here, so it does. */
function isHolding({ pid, host }: Holder, directory: string, processes: ProcessTable): boolean {
  if (host !== hostname()) return true;
  return pid === processes.pid ? held.has(resolve(directory)) : processes.isAlive(pid);
}

/** False when another process was faster. */
async function createdFirst(fs: FileSystem, path: string, own: string): Promise<boolean> {
  try {
    await fs.create(path, own);
    return true;
  } catch (error) {
    if (await fs.exists(path)) return false;
    throw error;
  }
}

export async function unlockRun(fs: FileSystem, directory: string): Promise<void> {
  held.delete(resolve(directory));
  await fs.remove(join(directory, "LOCK"));
}

function readHolder(bytes: Uint8Array): Holder | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof value !== "object" || value === null) return null;
    const { pid, host } = value as Record<string, unknown>;
    return typeof pid === "number" && typeof host === "string" ? { pid, host } : null;
  } catch {
    return null;
  }
}
