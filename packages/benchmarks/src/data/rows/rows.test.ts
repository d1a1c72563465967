import { expect, test } from "vitest";
import { benchmarkNamed } from "../registry.ts";
import { readRow } from "../row-schema.ts";
import table from "../../../test/rows.json" with { type: "json" };

const rows: Readonly<Record<string, object>> = table.rows;
const {
  hotpotqa: hotpotqaCells,
  livecodebench: livecodebenchCells,
  mbpp: mbppCells,
  "mmlu-pro": mmluProCells,
} = table.rows;

const read = (benchmark: string, row: unknown): unknown => readRow(benchmarkNamed(benchmark).row, row);

test("paragraphs come before the question, in the layouts of the authors and of the hub", () => {
  const expected = {
    problem: {
      id: "hotpotqa/5a7",
      question:
        "Acme: Acme is a firm. Ann founded it.\n\nAnn: Ann was born in Rome.\n\nWhere was the founder of Acme born?",
      gold: "Rome",
      grading: { kind: "text", words: true },
      metadata: { type: "bridge", level: "hard" },
    },
  };
  expect(read("hotpotqa", hotpotqaCells)).toEqual(expected);
  const { _id: id, context, ...rest } = hotpotqaCells;
  const columns = { title: context.map(([title]) => title), sentences: context.map(([, reply]) => reply) };
  expect(read("hotpotqa", { ...rest, id, context: columns })).toEqual(expected);
  const short = { ...columns, sentences: columns.sentences.slice(1) };
  expect(read("hotpotqa", { ...rest, id, context: short })).toMatchObject({
    reason: expect.stringContaining("context: 1: 1: ") as string,
  });
});

test("a program that reads stdin, and a class to complete", () => {
  const square = read("livecodebench", livecodebenchCells);
  expect(square).toMatchObject({
    problem: {
      id: "livecodebench/abc1_a",
      question: expect.stringMatching(/^Print the square of n\.\n\nThe program reads its input from stdin/u) as string,
      grading: { kind: "program", entryPoint: null, shown: [{ input: "3\n", output: "9\n" }] },
      metadata: { platform: "atcoder", difficulty: "easy", date: "2025-02-01" },
    },
  });
  const starter_code = "class Solution:\n    def square(self, n: int) -> int:\n        ";
  const method = { ...livecodebenchCells, starter_code, metadata: '{"func_name": "square"}' };
  expect(read("livecodebench", method)).toMatchObject({
    problem: { question: expect.stringContaining("class Solution:") as string, grading: { entryPoint: "square" } },
  });
});

test("MBPP: the function that the tests call is to be completed, and its tests call themselves", () => {
  const prompt =
    'def add_two(a, b):\n    """Write a function to add two numbers.\n\n    assert add_two(1, 2) == 3\n    assert add_two(0, 0) == 0\n    """\n';
  const tests = "import math\nassert add_two(1, 2) == 3\nassert add_two(0, 0) == 0";
  expect(read("mbpp", mbppCells)).toMatchObject({
    problem: {
      id: "mbpp/601",
      question: prompt,
      gold: tests,
      grading: { kind: "code", prompt, test: tests, entryPoint: "add_two", testCallsItself: true },
    },
  });
  const other = { ...mbppCells, test_list: ["assert subtract(2, 1) == 1"] };
  expect(read("mbpp", other)).toMatchObject({ reason: expect.stringContaining("first test") as string });
});

test("MATH's training rows: the gold is what the solution boxes", () => {
  const train = { problem: "What is $1+1$?", level: "Level 1", type: "Algebra", solution: "It is $\\boxed{2}$." };
  expect(read("math500", train)).toMatchObject({
    problem: { gold: "2", solution: train.solution, grading: { kind: "maths" }, metadata: { subject: "Algebra" } },
  });
  expect(read("math500", { ...train, solution: "It is 2." })).toHaveProperty("reason");
});

test("ten options, the letters that a question has, and a solution without its frame", () => {
  expect(read("mmlu-pro", mmluProCells)).toEqual({
    problem: {
      id: "mmlu-pro/70",
      question: mmluProCells.question,
      gold: "J",
      choices: mmluProCells.options,
      grading: { kind: "letter", letters: "ABCDEFGHIJ" },
      metadata: { category: "letters" },
      solution: "Count to ten.",
    },
  });
  const four = {
    ...mmluProCells,
    options: ["a", "b", "c", "N/A", "N/A"],
    answer: "B",
    answer_index: 1,
    cot_content: "",
  };
  expect(read("mmlu-pro", four)).toMatchObject({
    problem: { choices: ["a", "b", "c"], grading: { letters: "ABC" } },
  });
});

test.for(table.refused as unknown as (readonly [benchmark: string, change: object, reason: string])[])(
  "%s refuses a bad cell by its key: %2$s",
  ([benchmark, change, reason]) => {
    expect(read(benchmark, { ...rows[benchmark], ...change })).toMatchObject({
      reason: expect.stringContaining(reason) as string,
    });
  },
);
