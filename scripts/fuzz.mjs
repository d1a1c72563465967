// npm run fuzz [-- TARGET...] [--seconds 60] [--corpus FOLDER]: coverage-guided fuzzing of the readers in test/fuzz/targets.ts.
// A failing input is printed and stored in test/fuzz/found/TARGET; the exit code is then 1.
// `npx vitest run test/fuzz-inputs` tries all stored inputs again.
import { existsSync, mkdirSync, readdirSync, rmdirSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { endChecks, tell } from "./lib/checks.mjs";
import { root } from "./lib/root.mjs";
import { expectRun, run } from "./lib/run.mjs";
import { setUp } from "./lib/setup.mjs";

// The only maintained fuzzer for JavaScript; 30 MB, so it is installed on demand.
const fuzzer = "@jazzer.js/core@4.0.0";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: "string", default: "60" },
    /** Inputs that increase coverage, used by later runs. */
    corpus: { type: "string", default: "node_modules/.cache/fuzz/corpus" },
  },
});
const seconds = Number(values.seconds);
if (!(seconds >= 1)) throw new Error(`--seconds ${values.seconds}: expected a number of at least 1`);

await setUp();
const folder = join(root, "test/fuzz");
const known = readdirSync(join(folder, "corpus")).toSorted();
const unknown = positionals.filter((name) => !known.includes(name));
if (unknown.length > 0) throw new Error(`unknown target ${unknown.join(", ")}; use one of: ${known.join(", ")}`);
const cache = join(root, "node_modules/.cache/fuzz");
const node = process.env.LACONIC_FUZZ_NODE || process.execPath;
const externals = join(root, "node_modules/.pnpm/node_modules");
const program = join(cache, "targets.cjs");
await bundle();
const jazzer = await installed();
for (const name of positionals.length > 0 ? positionals : known) await fuzz(name);
endChecks();

function bundle() {
  return build({
    entryPoints: [join(folder, "jazzer.ts")],
    outfile: program,
    bundle: true,
    platform: "node",
    format: "cjs",
    logLevel: "error",
    // Native and lazily loaded packages stay external.
    external: ["koffi", "esbuild", "tsx", "openai", "tiktoken", "webgpu", "@tensorflow/*"],
    define: { "import.meta.url": "thisUrl", "import.meta.dirname": "__dirname" },
    banner: { js: 'const thisUrl = require("node:url").pathToFileURL(__filename).href;' },
  });
}

async function installed() {
  const cli = join(cache, "node_modules/@jazzer.js/core/dist/cli.js");
  if (!existsSync(cli)) {
    console.error(`Installing ${fuzzer} in ${relative(root, cache)} (30 MB, once).`);
    const words = ["install", "--prefix", cache, "--no-save", "--no-audit", "--no-fund", "--loglevel=error", fuzzer];
    await expectRun("npm", words);
  }
  const { code, text } = await run(node, [cli, "--help"]);
  if (code === 0) return cli;
  const reason = /GLIBC_\S+/u.exec(text);
  const remedy = `it needs ${reason?.[0]} or newer (Ubuntu 24.04, Debian 13); LACONIC_FUZZ_NODE names a Node that has it`;
  throw new Error(`${fuzzer} does not start here: ${reason ? remedy : text}`);
}

async function fuzz(name) {
  const found = join(folder, "found", name);
  const fresh = resolve(root, values.corpus, name);
  for (const each of [found, fresh]) mkdirSync(each, { recursive: true });
  // libFuzzer would also report units that a busy machine slowed down.
  const limits = [`-max_total_time=${seconds}`, "-rss_limit_mb=4096", "-report_slow_units=1000000"];
  // The bundle is in node_modules, which is excluded by default.
  const words = [
    jazzer,
    "--timeout=25000",
    "--includes=targets.cjs",
    "--excludes=nothing",
    program,
    fresh,
    join(folder, "corpus", name),
    "--",
    `-artifact_prefix=${found}/`,
    ...limits,
  ];
  const { code, text } = await run(node, words, { env: { LACONIC_FUZZ: name, NODE_PATH: externals } });
  if (readdirSync(found).length === 0) rmdirSync(found);
  const tried = [...text.matchAll(/^#(\d+)/gmu)].at(-1)?.[1] ?? "0";
  const reached = [...text.matchAll(/ cov: (\d+)/gu)].at(-1)?.[1] ?? "0";
  const line = `${name.padEnd(16)} ${tried} inputs, ${reached} places reached, ${seconds} s`;
  tell(line, code === 0 ? [] : text.trim().split("\n").slice(-40));
}
