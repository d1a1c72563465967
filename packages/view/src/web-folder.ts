import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { makeFolders, moveFile } from "@laconic/core/platform";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { filesBelow } from "./static-files.ts";

/** Package folder, from `src` and from `dist`. */
const packageFolder = resolve(fileURLToPath(new URL("..", import.meta.url)));

const viteConfigs = ["vite.config.ts", "vite.exported.config.ts"];

const keptMs = 7 * 24 * 60 * 60 * 1000;

/**
 * Folder of built pages: `dashboard/index.html`, `playground/index.html`, `exported/page.js` and `.css`, `assets`. The
 * repository builds them after source changes.
 * @param note - called before a build, which takes seconds
 */
export async function webFolder(note: (text: string) => void = () => undefined): Promise<string> {
  if (!existsSync(join(packageFolder, "web"))) return join(packageFolder, "dist", "web");
  const cache = join(packageFolder, "node_modules", ".cache", "web");
  const built = join(cache, await sourceHash());
  if (existsSync(built)) return built;
  note("building the pages: once, and again when their sources change");
  await makeFolders(cache);
  await removeOld(cache);
  const partial = await mkdtemp(join(cache, "partial-"));
  await buildPages(partial);
  await moveFile(partial, built).catch(async (error: unknown) => {
    await rm(partial, { recursive: true });
    if (!existsSync(built)) throw error; // another process was faster
  });
  return built;
}

/** A bundler's memory would stay with the server. */
async function buildPages(outDir: string): Promise<void> {
  const vite = join(dirname(createRequire(import.meta.url).resolve("vite/package.json")), "bin", "vite.js");
  for (const config of viteConfigs)
    await promisify(execFile)(
      process.execPath,
      [vite, "build", "--config", join(packageFolder, config), "--outDir", outDir, "--logLevel", "error"],
      { cwd: packageFolder },
    );
}

async function removeOld(cache: string): Promise<void> {
  const now = new Date().getTime();
  for (const name of await readdir(cache)) {
    const folder = join(cache, name);
    const changed = await stat(folder).then(
      ({ mtimeMs }) => mtimeMs,
      () => now,
    );
    if (now - changed > keptMs) await rm(folder, { recursive: true, force: true });
  }
}

/** Pages bundle most packages, so all are covered. */
async function sourceHash(): Promise<string> {
  const hash = createHash("sha256");
  const packages = join(packageFolder, "..");
  const folders = (await readdir(packages)).toSorted().map((name) => join(packages, name));
  const files = ["web", ...viteConfigs, "package.json"].map((name) => join(packageFolder, name));
  for (const location of [...files, ...folders.flatMap((folder) => [join(folder, "src"), join(folder, "assets")])])
    for (const file of await filesIn(location))
      if (!/\.test\.tsx?$/u.test(file)) hash.update(file.slice(packages.length)).update(await readFile(file));
  return hash.digest("hex").slice(0, 16);
}

async function filesIn(location: string): Promise<string[]> {
  if (!existsSync(location)) return [];
  if (!(await stat(location)).isDirectory()) return [location];
  return (await filesBelow(location)).toSorted();
}
