import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { boundedJson } from "@laconic/core/json";

/** Version ranges by package. */
export type Ranges = Readonly<Record<string, string>>;

/** Packages that all projects import besides `laconic`, with the installed versions. */
const imported = ["@laconic/core", "@laconic/tasks", "@laconic/topologies"] as const;

/** Packages for the project's test, as in this repository. */
const tools: Ranges = { "@types/node": "^20.19.43", typescript: "^7.0.2" };

/** Package folder, from `src` or `dist`. */
const home = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Dependencies of a new project, with the installed versions. If npm installed them from local tarballs, all are taken
 * from there, because the registry may lack them.
 * @param folder - base of relative paths
 * @param imports - packages of this template only
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
 * Tarballs of Laconic's packages in npm's lock file; empty for other installations.
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
