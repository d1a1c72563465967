// npm test: types, lint, format, unused code, then every test. `npm test -- packages/gspo` runs the tests of one folder.
// The last line counts everything; each of the six checks counts as one test.
import { run } from "./lib/run.mjs";
import { setUp } from "./lib/setup.mjs";
import { vitest } from "./lib/vitest.mjs";

const checks = [
  { name: "types", command: ["tsc", "-p", "."], fix: "correct the lines above" },
  { name: "types of the pages", command: ["tsc", "-p", "packages/view/web"], fix: "correct the lines above" },
  { name: "types of the examples", command: ["tsc", "-p", "examples"], fix: "correct the lines above" },
  {
    name: "lint",
    command: ["oxlint", "--type-aware", "--deny-warnings"],
    fix: "npm run lint:fix, then the rest by hand",
  },
  { name: "format", command: ["oxfmt", "--check"], fix: "npm run format" },
  {
    name: "unused code",
    command: ["knip", "--no-config-hints"],
    fix: "delete what is listed, or declare it in knip.json",
  },
];

await setUp();
const total = { passed: 0, failed: 0, skipped: 0 };
await Promise.all(checks.map(runCheck));
await runTests(process.argv.slice(2));
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed === 0 ? 0 : 1;

async function runCheck({ name, command, fix }) {
  const { code, text, seconds } = await run(command[0], command.slice(1));
  console.log(`${code === 0 ? "ok  " : "FAIL"} ${name.padEnd(12)} ${seconds.toFixed(1)} s`);
  total[code === 0 ? "passed" : "failed"] += 1;
  if (code !== 0) console.log(`${text.trim()}\nFix ${name}: ${fix}\n`);
}

async function runTests(filters) {
  for (const [name, what] of [
    ["LACONIC_DATA", "tests on benchmark files skip (it names the folder that holds them)"],
    ["LACONIC_PYTHON", "comparisons with Python use .venv/bin/python, or skip"],
    ["LACONIC_DEVICES", "tests of TensorFlow and WebGPU skip (it names the folder of doctor --enable)"],
  ])
    if (!process.env[name]) console.log(`     ${name} is not set: ${what}`);
  for (const [kind, number] of Object.entries(await vitest(filters))) total[kind] += number;
}
