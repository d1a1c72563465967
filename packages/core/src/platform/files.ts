import { existsSync } from "node:fs";
import { mkdir, mkdtemp, open, rename, rm, truncate, type FileHandle } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LaconicError } from "../errors.ts";
import { systemOf, type System } from "./system.ts";

const maxWaitMs = 5000;

/** Renames; retries on Windows for five seconds while another program has it open. */
export async function moveFile(
  from: string,
  to: string,
  system: System = systemOf(process.platform),
  move: (from: string, to: string) => Promise<void> = rename,
): Promise<void> {
  for (let waited = 0, pause = 10; ; waited += pause, pause = Math.min(2 * pause, 250))
    try {
      return await move(from, to);
    } catch (error) {
      if (waited >= maxWaitMs || !system.passing.has(String((error as NodeJS.ErrnoException).code))) throw error;
      await sleep(pause);
    }
}

/**
 * Runs a write; system errors name the path.
 * @throws LaconicError `run_unwritable`
 */
export async function writing<T>(
  path: string,
  write: () => Promise<T>,
  advice = "fix the cause and resume",
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (LaconicError.is(error) || typeof (error as NodeJS.ErrnoException).code !== "string") throw error;
    const message = `${path} cannot be written: ${(error as Error).message}; ${advice}`;
    throw new LaconicError("run_unwritable", message, { path }, error);
  }
}

const cannotSync: ReadonlySet<string> = new Set(["EPERM", "EACCES", "EISDIR", "EINVAL", "ENOTSUP"]);

/** Syncs a folder's names; syncing a file covers only its bytes. */
export async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (!cannotSync.has(String((error as NodeJS.ErrnoException).code))) throw error;
  }
}

/** Truncates a file to an offset and makes its name durable. */
export async function openToAppend(path: string, bytes: number): Promise<FileHandle> {
  const file = await open(path, "a");
  try {
    await truncate(path, bytes);
    await syncFolder(dirname(path));
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Makes a folder and its parents durably, also existing ones, in case a killed process did not. */
export async function makeFolder(path: string): Promise<void> {
  const parent = dirname(resolve(path));
  if (!existsSync(path)) {
    await makeFolder(parent);
    await mkdirOnce(path);
  }
  await syncFolder(parent);
}

/** Makes a folder and its parents one by one: Node's recursive `mkdir` never ends on file systems such as `/proc`. */
export async function makeFolders(path: string, mode: number = 0o777): Promise<void> {
  if (existsSync(path)) return;
  await makeFolders(dirname(resolve(path)), mode);
  await mkdirOnce(path, mode);
}

/** Another process may make the folder at the same time. */
async function mkdirOnce(path: string, mode?: number): Promise<void> {
  await mkdir(path, mode).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
}

/** Removes if it exists; retries on Windows. */
export function removeFile(path: string, system: System = systemOf(process.platform)): Promise<void> {
  const retries = system.passing.size > 0 ? { maxRetries: 13, retryDelay: 50 } : {};
  return rm(path, { recursive: true, force: true, ...retries });
}

/**
 * Makes a folder that other processes may make too: fills a draft and renames it. The first wins.
 * @param fill - writes the contents, equal in all processes
 */
export async function makeFolderOnce(folder: string, fill: (draft: string) => Promise<unknown>): Promise<void> {
  const into = join(folder, "..");
  await makeFolders(into);
  const draft = await mkdtemp(join(into, ".making-"));
  try {
    await fill(draft);
    await moveFile(draft, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
