// npm run check:stranger: tests the packages as a new npm user does. Each supported Node, from the oldest version in
// package.json on, installs them (`engine-strict` refuses dependencies for newer ones), runs `laconic init`, and tests,
// trains, evaluates and reports the project. The first Node also tries, serves and views each template; this Node also
// uses Bun and Deno. `stackblitz` is examples/stackblitz without native parts. `npm run
// check:stranger -- 22 chat` selects one Node and one template.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { endChecks, tell } from "./lib/checks.mjs";
import { packAll } from "./lib/pack.mjs";
import { root } from "./lib/root.mjs";
import { expectRun, run } from "./lib/run.mjs";
import { setUp } from "./lib/setup.mjs";

const quiet = ["--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
const install = ["install", "--engine-strict", ...quiet];
const short = ["train.steps=1", "train.evaluation.problems=20"];
/** Templates whose models start from random weights. */
const allTemplates = ["chat", "tools", "data", "self-play", "environment", "stackblitz"];
const given = process.argv.slice(2);
const here = process.versions.node.split(".")[0];
const { engines } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
const oldest = `${engines.node.replace(">=", "")}.0`;
const versionOf = (major) => (oldest.startsWith(`${major}.`) ? oldest : major);
const numbers = given.filter((word) => /^\d/u.test(word));
const majors = numbers.length > 0 ? numbers : ["20", "22", "24"];
const chosen = given.filter((word) => !numbers.includes(word));
const templates = chosen.length > 0 ? chosen : allTemplates;
const unknown = chosen.filter((word) => !allTemplates.includes(word));
if (unknown.length > 0)
  throw new Error(`unknown template ${unknown.join(", ")}; use one of: ${allTemplates.join(", ")}`);

await setUp();
const work = await mkdtemp(join(tmpdir(), "laconic-stranger-"));
try {
  const tarballs = Object.values(await packAll(work));
  const nodes = await nodesOf(majors);
  const first = Object.entries(nodes)[0];
  if (templates.some((template) => template !== "stackblitz"))
    for (const [major, node] of Object.entries(nodes)) await visit(major, node, tarballs);
  for (const template of templates)
    await (template === "stackblitz" ? visitStackBlitz(first, tarballs) : visitTemplate(template, first));
} finally {
  await rm(work, { recursive: true, force: true });
}
endChecks();

async function nodesOf(wanted) {
  const others = wanted.filter((major) => major !== here || versionOf(major) === oldest);
  const folder = join(work, "nodes");
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), "{}");
  if (others.length > 0) {
    const words = ["install", ...quiet, ...others.map((n) => `node${n}@npm:node@${versionOf(n)}`)];
    await expectRun("npm", words, { cwd: folder });
  }
  const binary = (major) => join(folder, "node_modules", `node${major}`, "bin", "node");
  return Object.fromEntries(wanted.map((major) => [major, others.includes(major) ? binary(major) : process.execPath]));
}

async function visit(major, node, tarballs) {
  const folder = join(work, `stranger-${major}`);
  const demo = join(folder, "demo");
  await mkdir(folder);
  const { at, laconic } = stranger(node, demo);
  await follow(
    `Node ${major}`,
    { demo, major },
    {
      version: () => at(folder, "node", "--version"),
      install: () => at(folder, "npm", ...install, ...tarballs),
      init: () => at(folder, "npx", "@laconic/cli", "init", "--yes", "demo"),
      "install of the project": () => at(demo, "npm", ...install),
      test: () => at(demo, "npm", "test"),
      train: () => laconic("train", "--json"),
      eval: () => laconic("eval", "runs/train", "--json"),
      analyze: () => laconic("analyze", "runs/train", "--limit", "20", "--json"),
      report: () => laconic("view", "report", "runs/train"),
      resume: () => laconic("train", "--resume", "runs/train", "train.steps=61"),
      ...(major === here && otherRuntimes(at, demo)),
      "CommonJS package": async () => {
        const file = join(demo, "package.json");
        const manifest = JSON.parse(await readFile(file, "utf8"));
        await writeFile(file, JSON.stringify({ ...manifest, type: "commonjs" }));
        return laconic("train", "--run", "runs/common", ...short);
      },
    },
  );
}

async function visitTemplate(template, [major, node]) {
  const folder = join(work, `stranger-${major}`);
  const demo = join(folder, template);
  const { env, at, laconic } = stranger(node, demo);
  await follow(
    template,
    { demo, major },
    {
      init: () => at(folder, "npx", "@laconic/cli", "init", "--yes", template, "--template", template),
      install: () => at(demo, "npm", ...install),
      test: () => at(demo, "npm", "test"),
      "train from nothing": () => laconic("train", "--json"),
      eval: () => laconic("eval", "runs/train", "--json"),
      serve: () => answered(demo, env, ["serve", "runs/train", "--port", "0"], askTeam),
      view: () => answered(demo, env, ["view", "runs", "--port", "0"], askPage),
    },
  );
}

/** Deletes native parts, as only JavaScript and WebAssembly run there. */
async function visitStackBlitz([major, node], tarballs) {
  const demo = join(work, "stackblitz");
  await cp(join(root, "examples/stackblitz"), demo, { recursive: true });
  const { at } = stranger(node, demo);
  await follow(
    "stackblitz",
    { demo, major },
    {
      install: () => at(demo, "npm", ...install, "--omit=optional", ...tarballs),
      "no native part": async () => {
        const files = await readdir(join(demo, "node_modules"), { recursive: true });
        const native = files.filter((file) => file.endsWith(".node"));
        for (const file of native) await rm(join(demo, "node_modules", file));
        return { code: 0, text: `${native.length} removed`, seconds: 0 };
      },
      start: () => at(demo, "npm", "start"),
      page: async () => {
        const page = await readFile(join(demo, "run.html"), "utf8");
        return { code: page.startsWith("<!doctype html>") ? 0 : 1, text: page.slice(0, 200), seconds: 0 };
      },
    },
  );
}

async function answered(cwd, env, words, ask) {
  const start = performance.now();
  const entry = join(cwd, "node_modules", "@laconic", "cli", "assets", "laconic.mjs");
  const child = spawn("node", [entry, ...words], { cwd, env: { ...process.env, ...env } });
  const ended = new Promise((resolve) => child.on("close", resolve));
  let said = "";
  const address = new Promise((resolve, reject) => {
    const read = (chunk) => {
      said += chunk;
      const found = /https?:\/\/[\w.:[\]-]+:\d+[^\s;]*/u.exec(said);
      if (found) resolve(found[0]);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    void ended.then(() => reject(new Error("the command ended before it printed an address")));
    setTimeout(() => reject(new Error("the command printed no address within two minutes")), 120_000).unref();
  });
  const result = await address.then(ask).then(
    (text) => ({ code: 0, text }),
    (error) => ({ code: 1, text: `${error.message}\n${said}` }),
  );
  child.kill("SIGINT");
  await ended;
  return { ...result, seconds: (performance.now() - start) / 1000 };
}

/** The first model is the team. */
async function askTeam(address) {
  const { data } = await (await fetch(`${address}/models`)).json();
  const response = await fetch(`${address}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: data[0].id, messages: [{ role: "user", content: "5" }] }),
  });
  const body = await response.text();
  if (!response.ok || typeof JSON.parse(body).choices[0].message.content !== "string") throw new Error(body);
  return body;
}

async function askPage(address) {
  const response = await fetch(address);
  const page = await response.text();
  if (!response.ok || !/<script[^>]+src=/u.test(page)) throw new Error(`${response.status} ${page.slice(0, 500)}`);
  return page;
}

async function follow(who, { demo, major }, steps) {
  for (const [label, action] of Object.entries(steps)) {
    const { code, text, seconds } = await action();
    const problem = code === 0 ? await problemOf(label, text, { demo, major }) : text.trim();
    const isShown = ["version", "train", "train from nothing", "eval"].includes(label);
    const shown = isShown ? `  ${text.trim().split("\n").at(-1)}` : "";
    if (!tell(`${who}: ${label} ${seconds.toFixed(1)} s${shown}`, problem === null ? [] : [problem])) return;
  }
}

/** Bun and Deno run TypeScript directly. */
function otherRuntimes(at, demo) {
  const folder = join(work, "runtimes");
  const entry = join(demo, "node_modules", "@laconic", "cli", "assets", "laconic.mjs");
  const words = (runtime) => [entry, "train", "--run", `runs/${runtime}`, ...short];
  const binary = (runtime) => join(folder, "node_modules", ".bin", runtime);
  return {
    "Bun and Deno from npm": async () => {
      await mkdir(folder);
      await writeFile(join(folder, "package.json"), "{}");
      return run("npm", ["install", ...quiet, "bun@1", "deno@2"], { cwd: folder });
    },
    Bun: () => at(demo, binary("bun"), "--bun", ...words("bun")),
    Deno: () => at(demo, binary("deno"), "run", "-A", ...words("deno")),
  };
}

/** Problem that the exit code hides; null without one. */
async function problemOf(label, text, { demo, major }) {
  if (label === "version") return text.startsWith(`v${major}.`) ? null : `this is Node ${text}`;
  if (label === "install of the project") return copiesIn(demo);
  if (label === "report")
    return existsSync(join(demo, "runs", "train", "report.html")) ? null : "report.html is missing";
  if (label !== "train" && label !== "train from nothing") return null;
  // Standard error may follow the result.
  const result = text.split("\n").findLast((line) => line.startsWith("{"));
  if (result === undefined) return `no result in ${text}`;
  const { before, afterWarmStart, after } = JSON.parse(result);
  // Rewards must improve accuracy over the supervised examples, or tokens at equal accuracy.
  const learned =
    label === "train"
      ? after.accuracy > before.accuracy + 0.5 && after.tokens < before.tokens
      : after.accuracy > afterWarmStart.accuracy + 0.05 ||
        (after.accuracy > afterWarmStart.accuracy - 0.05 && after.tokens < 0.8 * afterWarmStart.tokens);
  return learned ? null : "the team did not learn";
}

/** The project and the command share one copy of each package. */
async function copiesIn(demo) {
  const { packages } = JSON.parse(await readFile(join(demo, "node_modules", ".package-lock.json"), "utf8"));
  const places = Object.keys(packages).filter((place) => /node_modules\/@laconic\/[^/]+$/u.test(place));
  const deep = places.filter((place) => place.lastIndexOf("node_modules/") > 0);
  return deep.length === 0 && places.length > 10 ? null : `copies of Laconic's packages: ${places.join(", ")}`;
}

/** Runs commands without the repository's tools and npm's variables for this script. */
function stranger(node, demo) {
  const ours = Object.keys(process.env).filter((name) => /^npm_(package|lifecycle|config_local_prefix)/u.test(name));
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
  const env = {
    ...Object.fromEntries([...ours, "INIT_CWD", "NODE_PATH", "NODE_OPTIONS"].map((name) => [name, undefined])),
    PATH: [dirname(node), ...folders].join(delimiter),
    // Prevents downloads of missing commands.
    npm_config_yes: "false",
  };
  const at = (cwd, command, ...args) => run(command, args, { cwd, env });
  return { env, at, laconic: (...words) => at(demo, "npx", "@laconic/cli", ...words) };
}
