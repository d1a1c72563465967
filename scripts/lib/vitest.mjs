import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { root } from "./root.mjs";
import { run } from "./run.mjs";

/**
 * Runs vitest, prints its output, and counts tests. A file that fails before its first test counts as one failed test.
 * @param {string} name - label of the printed seconds
 * @param {readonly string[]} args - filters and options of `vitest run`
 * @param {Record<string, string>} env
 * @returns {Promise<{ passed: number, skipped: number, failures: string[] }>} a failure: file, test, first line of its message
 */
export async function runVitest(name, args, env) {
  const folder = mkdtempSync(join(tmpdir(), "laconic-test-"));
  const total = { passed: 0, skipped: 0, failures: [] };
  try {
    const report = join(folder, "report.json");
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const { code, seconds } = await run("vitest", ["run", ...reporters, ...args], { output: "show", env });
    const results = JSON.parse(readFileSync(report, "utf8"));
    count(results, total);
    showSlowest(results);
    // Unhandled rejections and missing files appear only in the exit code.
    if (code !== 0 && total.failures.length === 0) total.failures.push(`${name}: an error outside any test`);
    console.log(`${code === 0 ? "ok  " : "FAIL"} ${name.padEnd(12)} ${seconds.toFixed(1)} s`);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    console.log(`FAIL ${name}: vitest ended without a report, see above. Fix: npx vitest run`);
    total.failures.push(`${name}: no report`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return total;
}

export function endWith({ passed, skipped, failures }) {
  for (const failure of failures) console.log(`failed ${failure}`);
  console.log(`${passed} passed, ${failures.length} failed, ${skipped} skipped`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}

function count({ testResults }, total) {
  for (const { name, status, message, assertionResults } of testResults) {
    const file = relative(root, name);
    const of = (...statuses) => assertionResults.filter((test) => statuses.includes(test.status));
    total.passed += of("passed").length;
    const skipped = of("skipped", "pending", "todo", "disabled");
    total.skipped += skipped.length;
    const failed = of("failed").map((test) => failureLine(file, test.fullName, test.failureMessages[0]));
    if (failed.length === 0 && status === "failed") failed.push(failureLine(file, "before its first test", message));
    total.failures.push(...failed);
    if (skipped.length > 0) console.log(`skip ${file}: ${skipped.length}, such as "${skipped[0].fullName}"`);
  }
}

function failureLine(file, test, message = "") {
  return `${file}: ${test}: ${message.split("\n", 1)[0].slice(0, 200)}`;
}

function showSlowest({ testResults }) {
  if (testResults.length <= 10) return;
  const files = testResults.map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1000 }));
  const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, 10);
  for (const { name, seconds } of slowest) console.log(`slow ${relative(root, name)}: ${seconds.toFixed(1)} s`);
}
