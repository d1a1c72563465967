import { existsSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "./root.mjs";
import { expectRun, run } from "./run.mjs";

/** @returns {string[]} absolute folders of all published packages */
export function publishedFolders() {
  return ["packages", "apps"].flatMap((group) =>
    readdirSync(join(root, group))
      .map((name) => join(root, group, name))
      .filter((folder) => existsSync(join(folder, "package.json"))),
  );
}

/**
 * Packs a package for publishing with its present `dist`.
 * @param {string} folder
 * @param {string} destination - folder of the tarball
 * @returns {Promise<{ name: string, file: string, manifest: object }>} `manifest` is the tarball's
 */
export async function pack(folder, destination) {
  const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  await expectRun("pnpm", ["pack", "--pack-destination", destination], { cwd: folder });
  const file = join(destination, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`);
  const { text } = await run("tar", ["-xzOf", file, "package/package.json"]);
  return { name, file, manifest: JSON.parse(text) };
}

/** Builds all published packages without their old output: removed source files must not be shipped. */
export function buildAll(...words) {
  for (const folder of publishedFolders()) rmSync(join(folder, "dist"), { recursive: true, force: true });
  return run("turbo", ["run", "build", "--output-logs=errors-only", ...words]);
}

/**
 * Builds and packs all published packages.
 * @param {string} destination - existing folder of the tarballs
 * @returns {Promise<Record<string, string>>} tarballs by package name
 */
export async function packAll(destination) {
  const { code, text } = await buildAll();
  if (code !== 0) throw new Error(`the packages cannot be built:\n${text}`);
  const tarballs = {};
  for (const folder of publishedFolders()) {
    const { name, file } = await pack(folder, destination);
    tarballs[name] = file;
  }
  return tarballs;
}
