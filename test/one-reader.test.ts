import { expect, test } from "vitest";
import { readText, repositoryFiles } from "./workspace.ts";

const sources = repositoryFiles().filter(
  (path) =>
    /^(?:packages|apps)\/[^/]+\/src\/.*\.ts$/u.test(path) &&
    !/\.test\.ts$|\/testing\/|platform\/browser\.ts$/u.test(path),
);

const sourcesWith = (...patterns: readonly RegExp[]): string[] =>
  sources.filter((path) => patterns.every((pattern) => pattern.test(readText(path))));

const growing =
  /\.jsonl|(?:benchFiles|runFiles)\.(?:samples|questions|calls|metrics|timing|episodes|evaluations|dropped|warnings|samplers|changes)|[sS]amplesFile|[jJ]ournal/u;
const readsWhole = /(?<!#)\b(?:readFile|readFileSync|readText)\(|\bfs\.read\(/u;

/** What of these is read whole all the same, and why that is no growing file. */
const readWhole: Readonly<Record<string, string>> = {
  "packages/evaluation/src/bench/bench-folder.ts": "a bench's questions, which are in memory anyway, are compared",
  "packages/evaluation/src/judging/judge-answers.ts": "a rubric",
  "packages/grading/src/board/board-report.ts": "a file of the package",
  "packages/runtime/src/run/tinker-server.ts": "environment.json",
  "packages/runtime/src/variants/run-variants.ts": "a summary of finished runs",
  "packages/trainer/src/run/run-directory.ts": "changes.jsonl has a row for each setting that a resume changed",
  "packages/trainer/src/sinks/sink-set.ts": "environment.json",
};

test("growing files are read by line, because a V8 string has at most 512 MiB", () => {
  expect(sourcesWith(growing, readsWhole)).toEqual(Object.keys(readWhole).toSorted());
});

test("compressed data is read by line or by the reader with a limit", () => {
  expect(
    sourcesWith(
      /\b(?:createGunzip|createInflate\w*|createUnzip|gunzip|inflate\w*|unzip|brotliDecompress)\w*\b.*from "node:zlib"/u,
    ),
  ).toEqual(["packages/core/src/platform/unpacked-bytes.ts", "packages/runtime/src/endpoint/gateway-journal.ts"]);
});

test("servers come from the factory with the request guard", () => {
  expect(sourcesWith(/\bcreateServer\b.*from "node:https?"/u)).toEqual([
    "packages/meter/src/proxy.ts", // passes raw headers, with the same guard
    "packages/serve/src/handler-server.ts",
  ]);
});

test("terminal output goes through the writer that escapes controls", () => {
  expect(sourcesWith(/\b(?:stdout|stderr)\.write\(/u)).toEqual([
    "apps/trainer/src/cli/terminal.ts",
    "apps/trainer/src/main.ts", // where standard output itself fails
    "packages/sandbox/src/self-test.ts", // in a program for the sandbox
  ]);
});
