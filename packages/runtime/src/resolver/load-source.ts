import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { LaconicError, thrownText } from "@laconic/core";
import { isModuleFile } from "./reference.ts";
import { compiler, sourceFilesOf } from "./source-files.ts";

type Module = Readonly<Record<string, unknown>>;

/** Modules as they were read together. */
interface Generation {
  readonly importModule: (file: string) => Promise<Module>;
  /** SHA-256 by file. */
  readonly files: Map<string, string>;
}

let generation: Generation | null = null;
let count: number = 0;

/**
 * A user's module, TypeScript or JavaScript, of either module system. It is read once, also where several import it: what
 * they share they share. After a file has changed all are read anew, so that what runs is what lies there.
 *
 * @throws LaconicError `config_invalid` naming the file
 */
export async function loadSource(file: string): Promise<Module> {
  if (!existsSync(file))
    throw new LaconicError("config_invalid", `${file} does not exist; paths are relative to the file that says them`, {
      file,
    });
  if (!isModuleFile(file))
    throw new LaconicError(
      "config_invalid",
      `${file} is no module: what is read here is .ts, .mts, .cts, .js, .mjs or .cjs`,
      {
        file,
      },
    );
  const files = Object.entries(await sourceFilesOf(file));
  const changed = files.some(([path, hash]) => (generation?.files.get(path) ?? hash) !== hash);
  if (generation === null || changed) generation = await newGeneration(file);
  for (const [path, hash] of files) generation.files.set(path, hash);
  try {
    return await generation.importModule(file);
  } catch (error) {
    if (LaconicError.is(error)) throw error;
    const message = thrownText(error);
    const hint = /Cannot find (?:package|module) '(?:laconic|@laconic\/)/u.test(message)
      ? "; install it beside your files: npm install laconic"
      : "";
    throw new LaconicError("config_invalid", `${file} cannot be read: ${message}${hint}`, { file }, error);
  }
}

/** Reads all modules anew from now on: their values have been closed. */
export function forgetModules(): void {
  generation = null;
}

/** As `tsImport` does, but with one space of names for all modules. Bun and Deno read TypeScript themselves, each module once. */
async function newGeneration(first: string): Promise<Generation> {
  if ("bun" in process.versions || "deno" in process.versions)
    return { importModule: (file) => import(pathToFileURL(file).href) as Promise<Module>, files: new Map() };
  const namespace = `laconic-${++count}`;
  const { register: registerCommonJs } = await compiler(first, import("tsx/cjs/api"));
  const { register } = await compiler(first, import("tsx/esm/api"));
  registerCommonJs({ namespace });
  const api = register({ namespace });
  return {
    importModule: (file) => api.import(pathToFileURL(file).href, import.meta.url) as Promise<Module>,
    files: new Map(),
  };
}

/**
 * An export of a module.
 * @throws LaconicError `config_invalid` naming file and export, with those that there are
 */
export function exportOf(module: Module, file: string, name: string): unknown {
  const inner = isNamespace(module["default"]) ? module["default"] : {};
  // Outside a package of type module a file is read as CommonJS, and its exports lie one level deeper.
  const value =
    name === "default" ? ("default" in inner ? inner["default"] : module["default"]) : (module[name] ?? inner[name]);
  if (value !== undefined) return value;
  const known = Object.keys({ ...inner, ...module }).filter(
    (each) => each !== "__esModule" && each !== "module.exports",
  );
  throw new LaconicError(
    "config_invalid",
    `${file}: there is no ${name === "default" ? "default export" : `export ${name}`}; it exports ${known.length === 0 ? "nothing" : known.join(", ")}`,
    { file, export: name },
  );
}

function isNamespace(value: unknown): value is Module {
  return typeof value === "object" && value !== null && "default" in value;
}
