import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "./root.mjs";
import { run } from "./run.mjs";

/** @returns {string[]} absolute folders of everything that is published */
export function publishedFolders() {
  return ["packages", "apps"].flatMap((group) =>
    readdirSync(join(root, group))
      .map((name) => join(root, group, name))
      .filter((folder) => existsSync(join(folder, "package.json"))),
  );
}

/**
 * Packs a package as it would be published, with the `dist` that is there.
 *
 * @param {string} folder
 * @param {string} destination - where the tarball goes
 * @returns {Promise<{ name: string, file: string, manifest: object }>} the manifest is that of the tarball
 */
export async function pack(folder, destination) {
  const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const packed = await run("pnpm", ["pack", "--pack-destination", destination], { cwd: folder });
  if (packed.code !== 0) throw new Error(`${name} cannot be packed:\n${packed.text}`);
  const file = join(destination, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`);
  const { text } = await run("tar", ["-xzOf", file, "package/package.json"]);
  return { name, file, manifest: JSON.parse(text) };
}
