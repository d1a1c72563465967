// npm test: types, lint, format, unused code, then the quick tests. `npm test -- packages/gspo` runs the tests of one folder.
// npm run test:long: *.long.test.ts, then kills and damage. npm run test:all: packages and docs, then both.
// npm run test:nightly: *.nightly.test.ts, which do not block changes.
// npm run test:chaos: kills, damage, full disks, hostile peers, bad input. `-- --long` tests every point instead of a sample
// (half an hour).
// Each part prints its seconds. The last line has the totals; a check counts as one test.
import { run } from "./lib/run.mjs";
import { setUp } from "./lib/setup.mjs";
import { endWith, runVitest } from "./lib/vitest.mjs";

const checks = [
  { name: "types", command: "tsc -p .", fix: "correct the lines above" },
  { name: "types of the pages", command: "tsc -p packages/view/web", fix: "correct the lines above" },
  { name: "types of the examples", command: "tsc -p examples", fix: "correct the lines above" },
  { name: "lint", command: "oxlint --type-aware --deny-warnings", fix: "npm run lint:fix, then the rest by hand" },
  { name: "format", command: "oxfmt --check", fix: "npm run format" },
  { name: "unused code", command: "knip --no-config-hints", fix: "delete what is listed, or declare it in knip.json" },
];

const words = process.argv.slice(2);
const tier = ["all", "chaos", "long", "nightly"].find((name) => words.includes(`--${name}`)) ?? "quick";
const isQuick = tier === "quick" || tier === "all";
const isLong = tier === "long" || tier === "all";
const filters = words.filter((word) => !word.startsWith("--"));
const total = { passed: 0, skipped: 0, failures: [] };

await setUp();
if (tier === "all" && filters.length === 0) {
  await runCheck({ name: "packages", command: "node scripts/check-packages.mjs", fix: "npm run check:packages" });
  await runCheck({ name: "docs", command: "npm run --silent docs", fix: "npm run docs" });
}
if (isQuick) await Promise.all(checks.map(runCheck));
showMissing();
if (isQuick) await runTests("quick tests", { LACONIC_TIER: "quick" });
if (isLong) await runTests("long tests", { LACONIC_TIER: "long" });
if (tier === "nightly") await runTests("nightly tests", { LACONIC_TIER: "nightly" });
if (tier === "chaos" || (isLong && filters.length === 0))
  await runTests("chaos", { LACONIC_CHAOS: tier === "chaos" && words.includes("--long") ? "long" : "short" });
endWith(total);

async function runCheck({ name, command, fix }) {
  const [program, ...args] = command.split(" ");
  const { code, text, seconds } = await run(program, args);
  console.log(`${code === 0 ? "ok  " : "FAIL"} ${name.padEnd(12)} ${seconds.toFixed(1)} s`);
  if (code === 0) total.passed += 1;
  else total.failures.push(name);
  if (code !== 0) console.log(`${text.trim()}\nFix ${name}: ${fix}\n`);
}

function showMissing() {
  for (const [name, what] of [
    ["LACONIC_DATA", "tests on benchmark files skip (it names the folder that holds them)"],
    ["LACONIC_PYTHON", "comparisons with Python use .venv/bin/python, or skip"],
    ["LACONIC_DEVICES", "tests of TensorFlow and WebGPU skip (it names the folder of doctor --enable)"],
  ])
    if (!process.env[name]) console.log(`     ${name} is not set: ${what}`);
}

async function runTests(name, env) {
  // A folder may have tests of one kind only.
  const options = tier === "all" && filters.length > 0 ? ["--passWithNoTests"] : [];
  const { passed, skipped, failures } = await runVitest(name, [...options, ...filters], env);
  total.passed += passed;
  total.skipped += skipped;
  total.failures.push(...failures);
}
