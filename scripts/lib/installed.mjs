import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Measures the packages that npm installed and, by V8's coverage, the files that a program loads, including its workers
 * and children.
 * @param {string} project - folder with `node_modules`
 * @param {(env: Record<string, string>) => Promise<{ code: number, text: string, seconds: number }>} start - the program
 * @param {readonly string[]} [apart] - packages that are not counted
 * @returns {Promise<{ ran: { code: number, text: string, seconds: number }, installed: number, unused: { name: string, megabytes: number }[] }>}
 *   megabytes; largest unused package first
 */
export async function weigh(project, start, apart = []) {
  const folder = join(project, ".coverage");
  mkdirSync(folder);
  const ran = await start({ NODE_V8_COVERAGE: folder });
  const urls = readdirSync(folder).flatMap((file) =>
    JSON.parse(readFileSync(join(folder, file), "utf8")).result.map(({ url }) => url),
  );
  rmSync(folder, { recursive: true });
  const loaded = new Set(
    urls.flatMap((url) => (url.startsWith("file:") ? [placeOf(fileURLToPath(url), project)] : [])),
  );
  const all = placesIn(project).map((place) => ({
    place,
    name: place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length),
    megabytes: ownBytes(join(project, place)) / 1e6,
  }));
  const others = all.filter(({ name }) => apart.includes(name)).reduce((sum, { megabytes }) => sum + megabytes, 0);
  const unused = all.filter(({ place, name }) => !loaded.has(place) && !apart.includes(name));
  return {
    ran,
    installed: bytesBelow(join(project, "node_modules")) / 1e6 - others,
    unused: unused.toSorted((a, b) => b.megabytes - a.megabytes).map(({ name, megabytes }) => ({ name, megabytes })),
  };
}

function placesIn(project) {
  const file = join(project, "node_modules", ".package-lock.json");
  const { packages } = JSON.parse(readFileSync(file, "utf8"));
  return Object.keys(packages).filter((place) => existsSync(join(project, place)));
}

function placeOf(file, project) {
  const inside = file.slice(project.length + 1).replaceAll("\\", "/");
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(inside)?.[0];
}

function ownBytes(folder) {
  const nested = join(folder, "node_modules");
  return bytesBelow(folder) - (existsSync(nested) ? bytesBelow(nested) : 0);
}

/** Hard links share a size, such as esbuild's binary. */
function bytesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(join(entry.parentPath, entry.name)))
    .reduce((sum, { size, nlink }) => sum + size / nlink, 0);
}
