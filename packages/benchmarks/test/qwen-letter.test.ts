import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { qwenLetter } from "../src/grading/published-rules.ts";

const folder = process.env["LACONIC_DATA"];

interface Row {
  readonly id: string;
  readonly kind: string;
  readonly prediction: string;
  readonly also?: Readonly<Record<string, string | null>>;
}

test.skipIf(folder === undefined)("reads letters like Qwen2.5-Math's code (LACONIC_DATA)", () => {
  const rows = readFileSync(join(folder as string, "grader-cases.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line.includes('"letter-extraction"'))
    .map((line) => JSON.parse(line) as Row);
  expect(rows.length).toBe(6);
  expect(rows.map(({ id, prediction }) => [id, qwenLetter(prediction)])).toEqual(
    rows.map(({ id, also }) => [id, also?.["qwen_choice_answer_clean"]]),
  );
});
