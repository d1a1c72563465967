import { expect, test } from "vitest";
import { reportError } from "../apps/trainer/src/cli/errors.ts";
import { recordingTerminal } from "../apps/trainer/test/recording-terminal.ts";
import { LaconicError, type LaconicErrorCode } from "../packages/core/src/index.ts";
import { readText } from "./workspace.ts";

const page = readText("docs/errors.md");
const namesOf = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, name = ""]) => name).toSorted();
const declared = namesOf(readText("packages/core/src/errors.ts"), /^ {2}\| "(\w+)"/gmu);

test("docs/errors.md has a section for each code", () => {
  expect(declared.length).toBeGreaterThan(20);
  expect(namesOf(page, /^## `(\w+)`$/gmu)).toEqual(declared);
});

test("its table has the exit code of each", () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| [^|]+ \| (\d+(?:, \d+)?) \|$/gmu)];
  const exits = rows.map(([, code = "", exit = ""]) => [code, exit] as const);
  expect(exits.map(([code]) => code).toSorted()).toEqual(declared);
  for (const [code, exit] of exits.filter(([name]) => name !== "aborted")) {
    const error = new LaconicError(code as LaconicErrorCode, "x");
    expect(`${code} ${reportError(error, recordingTerminal(), false)}`).toBe(`${code} ${exit}`);
  }
});
