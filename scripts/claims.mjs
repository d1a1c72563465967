// Lists each comment that says that code does something "as X does", and the test that compares it with X. Fails on a claim without a
// test, and on a test that does not exist: node scripts/claims.mjs [--json]
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { claimTests } from "./lib/claim-tests.mjs";

const peers =
  "transformers|SymPy|CPython|Python|Jinja2?|CommonMark|LiveCodeBench|lm-eval(?:uation-harness)?|PEFT|PyTorch|torch|TRL|vLLM|verl|NumPy|Math-Verify|MATH's grader|Minerva|Qwen2\\.5-Math";
const claim = new RegExp(
  `(?:\\b[Aa]s |\\blike |\\bthe way )(?:${peers})(?:'s?)?(?: [a-z0-9.\`_]+)? (?:does|do|has|have|had|reads?|writes?|renders?|puts?|counts?|computes?|prints?|compares?|takes?|starts?|saves?|says|allows|finds|rounds|orders?|gives?|would|them|it)\\b`,
  "u",
);

const files = execFileSync("git", ["ls-files", "packages", "apps"], { encoding: "utf8" })
  .split("\n")
  .filter((path) => /\.(?:ts|tsx|mjs|py)$/u.test(path) && !/\.test\.ts$|\/test\/|\/testing\//u.test(path));
const claims = files.flatMap((file) =>
  readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line, index) => {
      const text = /^\s*(?:\/\*\*?|\*|\/\/|#)|"""/u.test(line) ? claim.exec(line)?.[0] : undefined;
      if (text === undefined) return [];
      const tests = claimTests[file] ?? [];
      const missing = tests.filter((test) => !existsSync(test));
      return [{ file, line: index + 1, claim: line.trim().replace(/^(?:\/\*\*?|\*|\/\/)\s*/u, ""), tests, missing }];
    }),
);
const untested = claims.filter(({ tests, missing }) => tests.length === 0 || missing.length > 0);
const stale = Object.keys(claimTests).filter((file) => !claims.some((found) => found.file === file));
if (process.argv.includes("--json")) console.log(JSON.stringify({ claims, untested, stale }));
else {
  for (const { file, line, claim: text, tests } of claims)
    console.log(`${file}:${line}\n  ${text}\n  ${tests.length === 0 ? "NO TEST" : tests.join(", ")}`);
  console.log(`${claims.length} claims, ${untested.length} without a test, ${stale.length} rows without a claim`);
  for (const file of stale) console.log(`no claim in ${file}`);
}
process.exitCode = untested.length + stale.length > 0 ? 1 : 0;
