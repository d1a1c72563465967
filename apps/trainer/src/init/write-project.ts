import { lstat, mkdir, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LaconicError } from "@laconic/core";
import { projectFileNames, projectFiles, type ProjectOptions } from "./project-files.ts";

/**
 * Refuses a folder that holds any file of a project, or is none.
 * @throws LaconicError `config_invalid` naming what is in the way
 */
export async function checkFolder(folder: string): Promise<void> {
  const there = await entryAt(folder);
  if (there !== null && !there.isDirectory() && !there.isSymbolicLink())
    throw new LaconicError("config_invalid", `${folder} is a file; name a folder`, { file: folder });
  const inTheWay: string[] = [];
  for (const name of projectFileNames) if ((await entryAt(join(folder, name))) !== null) inTheWay.push(name);
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
  await checkFolder(folder);
  const written: string[] = [];
  let made: string | undefined;
  try {
    made = await mkdir(folder, { recursive: true });
    for (const [name, text] of await projectFiles(folder, options)) {
      await writeFile(join(folder, name), text, { flag: "wx" });
      written.push(name);
    }
    return written;
  } catch (error) {
    await Promise.all(written.map((name) => rm(join(folder, name), { force: true })));
    if (made !== undefined) await removeEmpty(folder, made);
    if (!(error instanceof Error && "syscall" in error)) throw error;
    throw new LaconicError(
      "config_invalid",
      `${folder} cannot be written: ${error.message}; nothing was left there`,
      { folder },
      error,
    );
  }
}

/** Removes folders from the innermost to the outermost that was made, unless somebody else put something there. */
async function removeEmpty(folder: string, outermost: string): Promise<void> {
  for (let each = folder; each.startsWith(outermost); each = dirname(each))
    if (
      !(await rmdir(each).then(
        () => true,
        () => false,
      ))
    )
      return;
}

/** What lies at a path; null where nothing does, or nothing can be seen. */
async function entryAt(path: string): Promise<Awaited<ReturnType<typeof lstat>> | null> {
  return lstat(path).catch(() => null);
}
