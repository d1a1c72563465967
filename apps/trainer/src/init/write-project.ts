import { lstat, mkdir, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LaconicError } from "@laconic/core";
import { projectFileNames, projectFiles, type ProjectOptions } from "./project-files.ts";
import type { TemplateName } from "./templates.ts";

/**
 * Refuses a folder that holds any file of a project, or is none.
 * @throws LaconicError `config_invalid` naming what is in the way
 */
export async function checkFolder(folder: string, template: TemplateName = "team"): Promise<void> {
  const there = await entryAt(folder);
  if (there !== null && !there.isDirectory() && !there.isSymbolicLink())
    throw new LaconicError("config_invalid", `${folder} is a file; name a folder`, { file: folder });
  const inTheWay: string[] = [];
  for (const name of projectFileNames(template)) if ((await entryAt(join(folder, name))) !== null) inTheWay.push(name);
  if (inTheWay.length === 0) return;
  const [verb, what] = inTheWay.length === 1 ? ["is", "it"] : ["are", "them"];
  throw new LaconicError(
    "config_invalid",
    `${folder}: ${inTheWay.join(", ")} ${verb} in the way, and nothing was written; move ${what}, or name another folder: laconic init FOLDER`,
    { folder, files: inTheWay.join(", ") },
  );
}

/**
 * Writes a project into a folder, which is made where it is missing. All of it or nothing: what was written goes again when
 * something fails.
 * @returns names of the files
 * @throws LaconicError `config_invalid` naming what is in the way, or what cannot be written
 */
export async function writeProject(folder: string, options: ProjectOptions): Promise<readonly string[]> {
  await checkFolder(folder, options.template);
  const written: string[] = [];
  const made: string[] = [];
  try {
    for (const each of await missingFolders(folder)) {
      await mkdir(each);
      made.unshift(each);
    }
    for (const [name, text] of await projectFiles(folder, options)) {
      await writeFile(join(folder, name), text, { flag: "wx" });
      written.push(name);
    }
    return written;
  } catch (error) {
    await Promise.all(written.map((name) => rm(join(folder, name), { force: true })));
    // Unless somebody else put something there.
    for (const each of made) await rmdir(each).catch(() => undefined);
    if (!(error instanceof Error && "syscall" in error)) throw error;
    throw new LaconicError(
      "config_invalid",
      `${folder} cannot be written: ${error.message}; nothing was left there`,
      { folder },
      error,
    );
  }
}

/** Folders to make, from the outermost. Node's own recursion does not end where a folder refuses entries, as in Linux's `/proc`. */
async function missingFolders(folder: string): Promise<string[]> {
  const missing: string[] = [];
  // A drive that is not there is its own parent.
  for (let each = folder; (await entryAt(each)) === null && each !== dirname(each); each = dirname(each))
    missing.unshift(each);
  return missing;
}

/** What lies at a path; null where nothing does, or nothing can be seen. */
async function entryAt(path: string): Promise<Awaited<ReturnType<typeof lstat>> | null> {
  return lstat(path).catch(() => null);
}
