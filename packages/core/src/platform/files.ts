import { existsSync } from "node:fs";
import { mkdir, mkdtemp, open, rename, rm, truncate, type FileHandle } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LaconicError } from "../errors.ts";
import { systemOf, type System } from "./system.ts";

/** How long another program may hold a file, in milliseconds. */
const maxWaitMs = 5000;

/**
 * Renames a file or folder. Windows refuses while another program has it open; that passes, so the call tries again for
 * five seconds. @throws the system's error
 */
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
 * Does what writes to a file or folder; where the system refuses, the error says which.
 * @param advice - how the error ends
 * @throws LaconicError `run_unwritable`; what is no error of the system's as it is
 */
export async function writing<T>(
  path: string,
  write: () => Promise<T>,
  advice = "mend the cause and continue",
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (LaconicError.is(error) || typeof (error as NodeJS.ErrnoException).code !== "string") throw error;
    const message = `${path} cannot be written: ${(error as Error).message}; ${advice}`;
    throw new LaconicError("run_unwritable", message, { path }, error);
  }
}

/** What Windows, and some network file systems, answer where a folder is to be synced: there is nothing to be done there. */
const cannotSync: ReadonlySet<string> = new Set(["EPERM", "EACCES", "EISDIR", "EINVAL", "ENOTSUP"]);

/** Makes the names in a folder durable: a new file's bytes are by its own sync, its name is not. @throws the system's error */
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

/**
 * Opens a file behind its first bytes: what was torn is cut off, and the name of a new file is durable before something is in it.
 * @throws the system's error
 */
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

/**
 * Makes a folder and those above it, where they are not there, all durable. One that is there may be left by a process that was killed
 * before it synced the name, so it is synced again. @throws the system's error
 */
export async function makeFolder(path: string): Promise<void> {
  const parent = dirname(resolve(path));
  if (!existsSync(path)) {
    await makeFolder(parent);
    await mkdirOnce(path);
  }
  await syncFolder(parent);
}

/**
 * Makes a folder and those above it, parent by parent: Node's recursive `mkdir` never ends where a file system such as `/proc` refuses
 * new folders.
 * @param mode - permissions of the folders that are made
 * @throws the system's error
 */
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

/** Removes a file or folder, if it is there; Windows gets the same five seconds. @throws the system's error */
export function removeFile(path: string, system: System = systemOf(process.platform)): Promise<void> {
  const retries = system.passing.size > 0 ? { maxRetries: 13, retryDelay: 50 } : {};
  return rm(path, { recursive: true, force: true, ...retries });
}

/**
 * Makes a folder that other processes may make at the same time: fills a draft and renames it. The first one wins.
 * @param fill - writes the contents, which are the same for everybody
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
