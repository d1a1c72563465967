import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { benchmarkNamed } from "../registry.ts";
import { readRow } from "../row-schema.ts";

const read = (benchmark: string, row: unknown): unknown => readRow(benchmarkNamed(benchmark).row, row);

const hotpotqaCells = {
  _id: "5a7",
  question: "Where was the founder of Acme born?",
  answer: "Rome",
  type: "bridge",
  level: "hard",
  supporting_facts: [["Acme", 0]],
  context: [
    ["Acme", ["Acme is a firm.", " Ann founded it."]],
    ["Ann", ["Ann was born in Rome."]],
  ],
};

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
  const columns = { title: context.map(([title]) => title), sentences: context.map(([, said]) => said) };
  expect(read("hotpotqa", { ...rest, id, context: columns })).toEqual(expected);
  const short = { ...columns, sentences: columns.sentences.slice(1) };
  expect(read("hotpotqa", { ...rest, id, context: short })).toMatchObject({
    reason: expect.stringContaining("context: 1: 1: ") as string,
  });
});

const cases = [{ input: "3\n", output: "9\n", testtype: "stdin" }];

const livecodebenchCells = {
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

const mbppCells = {
  task_id: 601,
  text: "Write a function to add two numbers.",
  code: "def helper(a):\r\n  return a\r\ndef add_two(a, b):\r\n  return helper(a) + b\r\n",
  test_list: ["assert add_two(1, 2) == 3", "assert add_two(0, 0) == 0"],
  test_setup_code: "import math",
};

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

const mmluProCells = {
  question_id: 70,
  question: "Which letter is tenth?",
  options: ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"],
  answer: "J",
  answer_index: 9,
  cot_content: "A: Let's think step by step. Count to ten. The answer is (J).",
  category: "letters",
  src: "own",
};

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

test.for([
  ["hotpotqa", hotpotqaCells, { answer: " " }, "answer: "],
  ["hotpotqa", hotpotqaCells, { context: [] }, "context: "],
  ["hotpotqa", hotpotqaCells, { context: [["Acme", "one text"]] }, "context"],
  ["livecodebench", livecodebenchCells, { public_test_cases: "[" }, "public_test_cases: "],
  ["livecodebench", livecodebenchCells, { public_test_cases: '[{"input": 3}]' }, "public_test_cases: 0.input"],
  ["livecodebench", livecodebenchCells, { private_test_cases: "\u0080\u0004" }, "private_test_cases: expected base64"],
  ["livecodebench", livecodebenchCells, { metadata: '{"func_name": "a.b"}' }, "metadata: func_name"],
  ["livecodebench", livecodebenchCells, { starter_code: "class Solution: ..." }, "metadata: names no func_name"],
  ["livecodebench", livecodebenchCells, { question_id: "" }, "question_id: "],
  ["livecodebench", livecodebenchCells, { contest_date: "1 February 2025" }, "contest_date: expected a date"],
  ["mmlu-pro", mmluProCells, { answer: "I" }, 'answer: answer is "I", and option 9 of 10 is not of that letter'],
  ["mmlu-pro", mmluProCells, { answer: "K", answer_index: 10 }, 'answer: answer is "K"'],
  ["mmlu-pro", mmluProCells, { options: ["N/A", ...mmluProCells.options.slice(1)] }, "answer: "],
  ["mmlu-pro", mmluProCells, { options: [...mmluProCells.options, "k"] }, "options: "],
  ["mmlu-pro", mmluProCells, { category: "" }, "category: "],
] as const)("%s refuses a bad cell by its key: %3$s", ([benchmark, row, change, reason]) => {
  expect(read(benchmark, { ...row, ...change })).toMatchObject({ reason: expect.stringContaining(reason) as string });
});
