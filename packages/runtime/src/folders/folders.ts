import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { AsyncLocalStorage } from "node:async_hooks";
import { existsSync } from "node:fs";
import { realpath, stat, writeFile } from "node:fs/promises";
import { sha256 } from "@laconic/core/files";
import { makeFolders } from "@laconic/core/platform";

/** Environment variable; undefined if empty. */
export function environmentValue(name: string): string | undefined {
  const value = process.env[name];
  return value === "" ? undefined : value;
}

/** Reproducible files: data sets, and packages of optional devices. */
export function userCache(): string {
  return join(environmentValue("XDG_CACHE_HOME") ?? join(homedir(), ".cache"), "laconic");
}

/** Folder of Laconic's data on this machine. */
export function dataFolder(input?: string): string {
  return resolve(input ?? environmentValue("LACONIC_DATA") ?? join(userCache(), "data"));
}

const trust = new AsyncLocalStorage<true>();

/** Runs a command with `--trust`. */
export function trusting<T>(body: () => T): T {
  return trust.run(true, body);
}

export function isTrusting(): boolean {
  return trust.getStore() === true;
}

/**
 * Records that this machine made a folder; not for trusting commands.
 * @param content - SHA-256 of configuration and sources
 * @returns false if the record cannot be written
 */
export async function rememberMade(directory: string, content: string): Promise<boolean> {
  if (isTrusting()) return true;
  try {
    await makeFolders(madeFolder(), 0o700);
    for (const name of await namesOf(directory, content))
      await writeFile(join(madeFolder(), name), "", { mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}

/** Whether this machine made the folder: true for renamed folders, false for copies. */
export async function isMadeHere(directory: string, content: string): Promise<boolean> {
  const names = await namesOf(directory, content).catch(() => []);
  return names.some((name) => existsSync(join(madeFolder(), name)));
}

/** Folder with an empty file per folder made here. Received files never go there, so no key is needed. */
function madeFolder(): string {
  return join(environmentValue("XDG_STATE_HOME") ?? join(homedir(), ".local", "state"), "laconic", "made-here");
}

/** Names by path and creation time, which no archive can reproduce. */
async function namesOf(directory: string, content: string): Promise<string[]> {
  const path = await realpath(resolve(directory));
  const { ino, birthtimeNs } = await stat(path, { bigint: true });
  return [`path ${path}`, `folder ${ino} ${birthtimeNs}`].map((location) => sha256(`${location}\n${content}`));
}
