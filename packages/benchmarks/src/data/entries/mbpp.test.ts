import { expect, test } from "vitest";
import { readRow } from "../row-schema.ts";
import { math500 } from "./math500.ts";
import { mbpp } from "./mbpp.ts";

const row = {
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
  expect(readRow(mbpp.row, row)).toMatchObject({
    problem: {
      id: "mbpp/601",
      question: prompt,
      gold: tests,
      grading: { kind: "code", prompt, test: tests, entryPoint: "add_two", testCallsItself: true },
    },
  });
  const other = { ...row, test_list: ["assert subtract(2, 1) == 1"] };
  expect(readRow(mbpp.row, other)).toMatchObject({ reason: expect.stringContaining("first test") as string });
});

test("MATH's training rows: the gold is what the solution boxes", () => {
  const train = { problem: "What is $1+1$?", level: "Level 1", type: "Algebra", solution: "It is $\\boxed{2}$." };
  expect(readRow(math500.row, train)).toMatchObject({
    problem: { gold: "2", solution: train.solution, grading: { kind: "maths" }, metadata: { subject: "Algebra" } },
  });
  expect(readRow(math500.row, { ...train, solution: "It is 2." })).toHaveProperty("reason");
});
