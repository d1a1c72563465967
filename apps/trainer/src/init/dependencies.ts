import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { boundedJson } from "@laconic/core/json";

/** Ranges by package. */
export type Ranges = Readonly<Record<string, string>>;

/** What a project's files import beside `laconic`, of the versions that `laconic` itself came with. */
const imported = ["@laconic/core", "@laconic/tasks", "@laconic/topologies"] as const;

/** For the project's own test; its types are checked with what this repository is checked with. */
const tools: Ranges = { "@types/node": "^20.19.43", typescript: "^7.0.2" };

/** The folder of the package `laconic`, from `src` and from `dist` alike. */
const home = fileURLToPath(new URL("../../", import.meta.url));

/**
 * What a new project depends on: the versions that write it. Where those were installed from files and not from a registry
 * (packed, not yet published), it takes the same files, all of them: npm would look for the others in the registry.
 * @param folder - of the project, which files are relative to
 * @param imports - packages that its files import beside those of every project
 */
export function dependenciesOf(
  folder: string,
  imports: readonly string[] = [],
): { readonly dependencies: Ranges; readonly devDependencies: Ranges } {
  const files = installedFiles(home, folder);
  const versions = Object.fromEntries([...imported, ...imports].map((name) => [name, `^${versionOf(name)}`]));
  return {
    dependencies: sorted({ laconic: `^${versionOf("laconic")}`, ...versions, ...files }),
    devDependencies: { ...tools, tsx: `^${versionOf("tsx")}` },
  };
}

function versionOf(name: string): string {
  const file = name === "laconic" ? join(home, "package.json") : createRequire(home).resolve(`${name}/package.json`);
  return (boundedJson(readFileSync(file, "utf8")) as { version: string }).version;
}

/**
 * Laconic's packages that npm installed from tarballs, as its record beside them says; none where it came otherwise.
 * @param laconic - folder of the package `laconic`
 */
export function installedFiles(laconic: string, folder: string): Ranges {
  const modules = dirname(resolve(laconic));
  const record = join(modules, ".package-lock.json");
  return Object.fromEntries(
    Object.entries(packagesIn(record)).flatMap(([place, { resolved = "" }]) => {
      const name = /^node_modules\/(laconic|@laconic\/[^/]+)$/u.exec(place)?.[1];
      if (name === undefined || !/^file:.*\.tgz$/u.test(resolved)) return [];
      const file = resolve(dirname(modules), resolved.slice("file:".length));
      return existsSync(file) ? [[name, `file:${pathBetween(folder, file)}`]] : [];
    }),
  );
}

/** Of npm's record, by place; none where another package manager left no such file. */
function packagesIn(record: string): Readonly<Record<string, { resolved?: string }>> {
  try {
    return (boundedJson(readFileSync(record, "utf8")) as { packages?: Record<string, object> }).packages ?? {};
  } catch {
    return {};
  }
}

/** With slashes on every system; absolute from another drive. */
function pathBetween(folder: string, file: string): string {
  const path = relative(resolve(folder), file);
  return (isAbsolute(path) ? file : path).replaceAll("\\", "/");
}

function sorted(ranges: Ranges): Ranges {
  return Object.fromEntries(Object.entries(ranges).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
