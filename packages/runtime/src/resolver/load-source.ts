import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { dirname, relative, resolve } from "node:path";
import { configError, isRecord, LaconicError, type LaconicErrorCode, thrownText } from "@laconic/core";
import { nodeFileSystem } from "@laconic/trainer";
import { isModuleFile, kinds, referencePlace, type KindName, type Reference } from "./reference.ts";

type Module = Readonly<Record<string, unknown>>;

interface Generation {
  readonly importModule: (file: string) => Promise<Module>;
  readonly files: Map<string, string>;
}

let generation: Generation | null = null;
let count: number = 0;

/**
 * Loads a TypeScript or JavaScript module, ESM or CommonJS. Importers share one instance. A changed file reloads all
 * modules.
 * @throws LaconicError `config_invalid` with the file
 */
export async function loadSource(file: string): Promise<Module> {
  if (!existsSync(file))
    throw configError(`${file} not found; paths are relative to the file that contains them`, { file });
  if (!isModuleFile(file))
    throw configError(`${file} is not a module: expected .ts, .mts, .cts, .js, .mjs or .cjs`, { file });
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
      ? "; install it with your files: npm install @laconic/cli"
      : "";
    throw configError(`${file} cannot be read: ${message}${hint}`, { file }, error);
  }
}

/** Makes later calls reload all modules, because their values have been closed. */
export function forgetModules(): void {
  generation = null;
}

/** Like `tsImport`, with one namespace for all modules. Bun and Deno read TypeScript natively. */
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

/** @throws LaconicError `config_invalid` with file, export and known exports */
export function exportOf(module: Module, file: string, name: string): unknown {
  const inner = isNamespace(module["default"]) ? module["default"] : {};
  // Files outside a `type: module` package load as CommonJS, with exports one level deeper.
  const value =
    name === "default" ? ("default" in inner ? inner["default"] : module["default"]) : (module[name] ?? inner[name]);
  if (value !== undefined) return value;
  const knownNames = Object.keys({ ...inner, ...module }).filter(
    (key) => key !== "__esModule" && key !== "module.exports",
  );
  throw configError(
    `${file}: ${name === "default" ? "default export" : `export ${name}`} not found; it exports ${knownNames.length === 0 ? "nothing" : knownNames.join(", ")}`,
    { file, export: name },
  );
}

function isNamespace(value: unknown): value is Module {
  return typeof value === "object" && value !== null && "default" in value;
}

/** SHA-256 by absolute path of data files, modules and their imports. Packages are not followed. */
export type SourceFiles = Readonly<Record<string, string>>;

/** Hashes a module's files. @throws LaconicError `config_invalid` for an unreadable module, with file and line */
export async function sourceFilesOf(file: string): Promise<SourceFiles> {
  if (!isModuleFile(file) && existsSync(file)) return { [file]: await sha256OfFile(file) };
  const { build } = await compiler(file, import("esbuild"));
  const directory = dirname(file);
  try {
    const { metafile } = await build({
      entryPoints: [file],
      absWorkingDir: directory,
      bundle: true,
      write: false,
      metafile: true,
      packages: "external",
      logLevel: "silent",
      platform: "node",
      format: "esm",
      outdir: directory,
      // Node itself refuses unsupported files.
      loader: { ".json": "json", ".node": "empty", ".wasm": "empty", ".txt": "text" },
    });
    const paths = Object.keys(metafile.inputs).map((path) => resolve(directory, path));
    const hashes = await Promise.all(paths.toSorted().map(async (path) => [path, await sha256OfFile(path)] as const));
    return Object.fromEntries(hashes);
  } catch (error) {
    const [first] = (error as { errors?: readonly BuildMessage[] }).errors ?? [];
    const where = first?.location ? `${resolve(directory, first.location.file)}:${first.location.line}` : file;
    const message = first?.text ?? thrownText(error);
    throw configError(`${where} cannot be read: ${message}`, { file }, error);
  }
}

/** Imports a loader, an optional peer for custom files. `@laconic/cli` includes both (24 MB). */
async function compiler<Compiler>(file: string, imported: Promise<Compiler>): Promise<Compiler> {
  try {
    return await imported;
  } catch (error) {
    const message = `${file} cannot be read: the packages tsx and esbuild are not installed: npm install tsx esbuild`;
    throw configError(message, { file }, error);
  }
}

interface BuildMessage {
  readonly text: string;
  readonly location: { readonly file: string; readonly line: number } | null;
}

export async function sha256OfFile(path: string): Promise<string> {
  return (await nodeFileSystem.digest(path)).sha256;
}

export function pathFrom(directory: string, path: string): string {
  return relative(directory, path).replaceAll("\\", "/");
}

/**
 * Imports a reference's module, and calls the export if it has settings.
 * @param resources - second argument of that call, and only argument of a task function
 * @throws LaconicError `config_invalid` with file and export for another kind of value
 */
export async function resolveReference(reference: Reference, kind: KindName, resources?: object): Promise<unknown> {
  const { file, export: name, path = [], settings } = reference;
  const { read, noun, lacks } = kinds[kind];
  const location = reference.path ? referencePlace(reference) : file;
  const what = reference.path ? "the value" : name === "default" ? "its default export" : `its export ${name}`;
  const refused = (reason: string, code: LaconicErrorCode = "config_invalid", cause?: unknown): LaconicError =>
    new LaconicError(code, `${location}: ${what} ${reason}`, { file, export: name }, cause);
  const called = async (make: unknown, ...input: readonly unknown[]): Promise<unknown> => {
    try {
      return await (make as (...all: readonly unknown[]) => unknown)(...input);
    } catch (error) {
      const code = LaconicError.is(error) ? error.code : "config_invalid";
      throw refused(`failed to make a ${noun}: ${thrownText(error)}`, code, error);
    }
  };
  let value = read && !isModuleFile(file) ? await read(file) : exportOf(await loadSource(file), file, name);
  for (const key of path)
    value = isRecord(value) || Array.isArray(value) ? (value as Record<string, unknown>)[key] : undefined;
  if (settings) {
    if (typeof value !== "function")
      throw refused(`takes no settings; export a function of settings that returns a ${noun}`);
    value = await called(value, settings, resources);
  }
  if (resources !== undefined && typeof value === "function") value = await called(value, resources);
  const lack = lacks(value);
  if (lack !== null) throw refused(`is not a valid ${noun}: ${lack}`);
  return value;
}
