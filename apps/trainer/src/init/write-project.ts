import { lstat, mkdir, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LaconicError } from "@laconic/core";
import { dependenciesOf } from "./dependencies.ts";
import { templates, type Template, type TemplateName } from "./templates.ts";

interface ProjectOptions {
  /** npm package name. */
  readonly name: string;
  /** Training steps. Default: the template's. */
  readonly steps?: number | undefined;
  readonly template: TemplateName;
}

const assets = new URL("../../assets/init/", import.meta.url);

/** Sources of project files, by name. npm does not pack `.gitignore`. Templates share most files. */
function sourcesOf(template: TemplateName): Readonly<Record<string, string>> {
  const shared = template === "team" ? "team" : "examples";
  const own = Object.fromEntries(Object.keys(templates[template].holds).map((name) => [name, `${template}/${name}`]));
  return {
    ...(template === "team" && { "task.ts": "team/task.ts" }),
    ...own,
    "run.config.ts": `${shared}/run.config.ts`,
    "task.test.ts": `${shared}/task.test.ts`,
    "tsconfig.json": "tsconfig.json",
    "README.md": `${shared}/README.md`,
    ".gitignore": "gitignore",
  };
}

async function projectFiles(
  folder: string,
  { name, steps, template }: ProjectOptions,
): Promise<ReadonlyMap<string, string>> {
  const { about, holds, imports }: Template = templates[template];
  const rows = Object.entries(holds).map(([file, what]) => `| \`${file}\` | ${what} |\n`);
  const words = { "{{name}}": name, "{{about}}": about, "{{files}}": rows.join("") };
  const files = new Map<string, string>();
  for (const [file, source] of Object.entries(sourcesOf(template))) {
    const text = await readFile(new URL(source, assets), "utf8");
    files.set(
      file,
      Object.entries(words).reduce((written, [mark, word]) => written.replaceAll(mark, word), text),
    );
  }
  if (steps !== undefined)
    files.set("run.config.ts", (files.get("run.config.ts") ?? "").replace(/^( {4})steps: \d+/mu, `$1steps: ${steps}`));
  const manifest = {
    name,
    version: "0.0.0",
    private: true,
    type: "module",
    scripts: { test: "tsc && node --import tsx --test task.test.ts", train: "laconic train" },
    ...dependenciesOf(folder, imports),
    engines: { node: ">=20.19" },
  };
  files.set("package.json", `${JSON.stringify(manifest, null, 2)}\n`);
  return files;
}

/**
 * Refuses a file, or a folder with any of the project's files.
 * @throws LaconicError `config_invalid` with the conflicting files
 */
export async function checkFolder(folder: string, template: TemplateName): Promise<void> {
  const there = await entryAt(folder);
  if (there !== null && !there.isDirectory() && !there.isSymbolicLink())
    throw new LaconicError("config_invalid", `${folder} is a file; name a folder`, { file: folder });
  const inTheWay: string[] = [];
  for (const name of [...Object.keys(sourcesOf(template)), "package.json"])
    if ((await entryAt(join(folder, name))) !== null) inTheWay.push(name);
  if (inTheWay.length === 0) return;
  const [verb, what] = inTheWay.length === 1 ? ["is", "it"] : ["are", "them"];
  throw new LaconicError(
    "config_invalid",
    `${folder}: ${inTheWay.join(", ")} ${verb} in the way, and nothing was written; move ${what}, or name another folder: laconic init FOLDER`,
    { folder, files: inTheWay.join(", ") },
  );
}

/**
 * Writes a project, creating its folder. Removes everything after an error.
 * @returns names of the files
 * @throws LaconicError `config_invalid` with the conflicting or unwritable files
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
    // Keeps folders with other files.
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

/** Missing parent folders, outermost first. Recursive `mkdir` never ends in folders such as Linux's `/proc`. */
async function missingFolders(folder: string): Promise<string[]> {
  const missing: string[] = [];
  // A missing drive is its own parent.
  for (let each = folder; (await entryAt(each)) === null && each !== dirname(each); each = dirname(each))
    missing.unshift(each);
  return missing;
}

/** Entry at a path; null if missing or unreadable. */
async function entryAt(path: string): Promise<Awaited<ReturnType<typeof lstat>> | null> {
  return lstat(path).catch(() => null);
}
