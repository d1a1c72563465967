import { lstat, mkdir, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join, isAbsolute, relative, resolve } from "node:path";
import { configError } from "@laconic/core";
import { templates, type Template, type TemplateName } from "./templates.ts";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { boundedJson } from "@laconic/core/json";

interface ProjectOptions {
  readonly name: string;
  /** Training steps. Default: the template's. */
  readonly steps?: number | undefined;
  readonly template: TemplateName;
}

const assets = new URL("../../assets/init/", import.meta.url);

/** Sources of project files, by name. npm does not pack `.gitignore`. Templates share most files. */
function sourcesOf(template: TemplateName): Readonly<Record<string, string>> {
  const shared = template === "team" ? "team" : "examples";
  const held = Object.fromEntries(Object.keys(templates[template].holds).map((name) => [name, `${template}/${name}`]));
  return {
    ...(template === "team" && { "task.ts": "team/task.ts" }),
    ...held,
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
    ...(await dependenciesOf(folder, imports)),
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
    throw configError(`${folder} is a file; name a folder`, { file: folder });
  const inTheWay: string[] = [];
  for (const name of [...Object.keys(sourcesOf(template)), "package.json"])
    if ((await entryAt(join(folder, name))) !== null) inTheWay.push(name);
  if (inTheWay.length === 0) return;
  const [verb, what] = inTheWay.length === 1 ? ["exists", "it"] : ["exist", "them"];
  throw configError(
    `${folder}: ${inTheWay.join(", ")} already ${verb}; move ${what}, or name another folder: laconic init FOLDER`,
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
    for (const missingFolder of await missingFolders(folder)) {
      await mkdir(missingFolder);
      made.unshift(missingFolder);
    }
    for (const [name, text] of await projectFiles(folder, options)) {
      await writeFile(join(folder, name), text, { flag: "wx" });
      written.push(name);
    }
    return written;
  } catch (error) {
    await Promise.all(written.map((name) => rm(join(folder, name), { force: true })));
    // Keeps folders with other files.
    for (const text of made) await rmdir(text).catch(() => undefined);
    if (!(error instanceof Error && "syscall" in error)) throw error;
    throw configError(
      `${folder} cannot be written: ${error.message}; the written files were removed`,
      { folder },
      error,
    );
  }
}

/** Missing parent folders, outermost first. Recursive `mkdir` never ends in folders such as Linux's `/proc`. */
async function missingFolders(folder: string): Promise<string[]> {
  const missing: string[] = [];
  // A missing drive is its own parent.
  for (let text = folder; (await entryAt(text)) === null && text !== dirname(text); text = dirname(text))
    missing.unshift(text);
  return missing;
}

async function entryAt(path: string): Promise<Awaited<ReturnType<typeof lstat>> | null> {
  return lstat(path).catch(() => null);
}

type Ranges = Readonly<Record<string, string>>;

const imported = ["@laconic/cli", "@laconic/core", "@laconic/tasks", "@laconic/topologies"] as const;

const tools: Ranges = { "@types/node": "^20.19.43", typescript: "^7.0.2" };

const home = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Dependencies of a new project, with the installed versions. Local tarballs come first, because the registry may lack
 * the packages. In a clone, the script `LACONIC_PACK` makes them.
 * @param folder - base of relative paths
 * @param imports - packages of this template only
 */
export async function dependenciesOf(
  folder: string,
  imports: readonly string[] = [],
): Promise<{ readonly dependencies: Ranges; readonly devDependencies: Ranges }> {
  const script = process.env["LACONIC_PACK"];
  const files = script === undefined ? installedFiles(home, folder) : await packedFiles(script, folder);
  const versions = Object.fromEntries([...imported, ...imports].map((name) => [name, `^${versionOf(name)}`]));
  return {
    dependencies: sorted({ ...versions, ...files }),
    devDependencies: { ...tools, tsx: `^${versionOf("tsx")}` },
  };
}

function versionOf(name: string): string {
  const file =
    name === "@laconic/cli" ? join(home, "package.json") : createRequire(home).resolve(`${name}/package.json`);
  return (boundedJson(readFileSync(file, "utf8")) as { version: string }).version;
}

async function packedFiles(script: string, folder: string): Promise<Ranges> {
  const { stdout } = await promisify(execFile)(process.execPath, [script], { maxBuffer: 2 ** 24 });
  const files = boundedJson(stdout) as Readonly<Record<string, string>>;
  return Object.fromEntries(Object.entries(files).map(([name, file]) => [name, `file:${pathBetween(folder, file)}`]));
}

/**
 * Tarballs of Laconic's packages in npm's lock file; empty for other installations.
 * @param cli - folder of the package `@laconic/cli`
 */
export function installedFiles(cli: string, folder: string): Ranges {
  const modules = dirname(dirname(resolve(cli)));
  const record = join(modules, ".package-lock.json");
  return Object.fromEntries(
    Object.entries(packagesIn(record)).flatMap(([location, { resolved = "" }]) => {
      const name = /^node_modules\/(@laconic\/[^/]+)$/u.exec(location)?.[1];
      if (name === undefined || !/^file:.*\.tgz$/u.test(resolved)) return [];
      const file = resolve(dirname(modules), resolved.slice("file:".length));
      return existsSync(file) ? [[name, `file:${pathBetween(folder, file)}`]] : [];
    }),
  );
}

/** Packages by path; empty without npm's lock file. */
function packagesIn(record: string): Readonly<Record<string, { resolved?: string }>> {
  try {
    return (boundedJson(readFileSync(record, "utf8")) as { packages?: Record<string, object> }).packages ?? {};
  } catch {
    return {};
  }
}

/** Forward slashes; absolute on another drive. */
function pathBetween(folder: string, file: string): string {
  const path = relative(resolve(folder), file);
  return (isAbsolute(path) ? file : path).replaceAll("\\", "/");
}

function sorted(ranges: Ranges): Ranges {
  return Object.fromEntries(Object.entries(ranges).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
