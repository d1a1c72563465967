import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { readRow } from "../row-schema.ts";
import { livecodebench } from "./livecodebench.ts";

const cases = [{ input: "3\n", output: "9\n", testtype: "stdin" }];

const row = {
  question_title: "Square",
  question_content: "Print the square of n.",
  platform: "atcoder",
  question_id: "abc1_a",
  contest_id: "abc1",
  contest_date: "2025-02-01T00:00:00",
  starter_code: "",
  difficulty: "easy",
  public_test_cases: JSON.stringify(cases),
  private_test_cases: deflateSync("stored cases").toString("base64"),
  metadata: "{}",
};

test("a program that reads stdin, and a class to complete", () => {
  const read = readRow(livecodebench.row, row);
  expect(read).toMatchObject({
    problem: {
      id: "livecodebench/abc1_a",
      question: expect.stringMatching(/^Print the square of n\.\n\nThe program reads its input from stdin/u) as string,
      grading: { kind: "program", entryPoint: null, shown: [{ input: "3\n", output: "9\n" }] },
      metadata: { platform: "atcoder", difficulty: "easy", date: "2025-02-01" },
    },
  });
  const starter_code = "class Solution:\n    def square(self, n: int) -> int:\n        ";
  const method = { ...row, starter_code, metadata: '{"func_name": "square"}' };
  expect(readRow(livecodebench.row, method)).toMatchObject({
    problem: { question: expect.stringContaining("class Solution:") as string, grading: { entryPoint: "square" } },
  });
});

test.for([
  [{ public_test_cases: "[" }, "public_test_cases: "],
  [{ public_test_cases: '[{"input": 3}]' }, "public_test_cases: 0.input"],
  [{ private_test_cases: "\u0080\u0004" }, "private_test_cases: expected base64"],
  [{ metadata: '{"func_name": "a.b"}' }, "metadata: func_name"],
  [{ starter_code: "class Solution: ..." }, "metadata: names no func_name"],
  [{ question_id: "" }, "question_id: "],
  [{ contest_date: "1 February 2025" }, "contest_date: expected a date"],
] as const)("%j is refused by its key", ([change, reason]) => {
  expect(readRow(livecodebench.row, { ...row, ...change })).toMatchObject({
    reason: expect.stringContaining(reason) as string,
  });
});
