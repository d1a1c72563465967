import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findPython } from "../packages/core/src/platform/index.ts";
import { graderBoard, graderRules } from "../packages/grading/src/board/index.ts";
import { gradeCase, gradeMaths, type GradedCase, type MathsGrader } from "../packages/grading/src/index.ts";
import { drawBoard } from "../packages/grading/test/grader-board/draw-board.ts";
import { testPairs } from "../packages/grading/test/grader-board/test-pairs.ts";
import { root } from "./workspace.ts";

const python = findPython();
const hasSympy = spawnSync(python, ["-c", "import sympy"]).status === 0;

const onThisThread: MathsGrader = {
  grade: (reply, gold, options) => Promise.resolve(gradeMaths(reply, gold, options)),
  close: () => Promise.resolve(),
};

async function wrongVerdicts(rows: readonly GradedCase[]): Promise<{ accepted: string[]; rejected: string[] }> {
  const accepted: string[] = [];
  const rejected: string[] = [];
  for (const row of rows) {
    const { correct } = await gradeCase(row, onThisThread);
    if (correct !== row.verdict) (correct === true ? accepted : rejected).push(row.id);
  }
  return { accepted, rejected };
}

test("the board has thousands of pairs with unique id and rule, half of them right", async () => {
  const cases = await graderBoard();
  const rules = await graderRules();
  expect(cases).toHaveLength(4543);
  expect(new Set(cases.map(({ id }) => id)).size).toBe(4543);
  expect(cases.filter(({ rule = "" }) => !Object.hasOwn(rules, rule))).toEqual([]);
  expect(cases.filter(({ verdict }) => verdict).length / cases.length).toBeCloseTo(0.5, 1);
});

test("the grader matches at least 97 % of labels and accepts at most 0.3 % wrong answers", async () => {
  const { accepted, rejected } = await wrongVerdicts(await graderBoard());
  expect(accepted).toEqual([]);
  expect(rejected).toEqual(["h-949"]);
});

test("two of 1443 test pairs differ from their label, and no wrong answer is accepted", async () => {
  const cases = testPairs();
  expect(cases).toHaveLength(1443);
  const { accepted, rejected } = await wrongVerdicts(cases);
  expect(accepted).toEqual([]);
  // 45\% for 45, which the rule `percent` refuses; a sum with dots.
  expect(rejected).toEqual(["o-68", "o-265"]);
});

test("the lenient rule accepts other notations and no other answer", async () => {
  const verdictsOf = (pairs: readonly (readonly [gold: string, answer: string])[]): boolean[] =>
    pairs.map(([gold, answer]) => gradeMaths(`\\boxed{${answer}}`, gold, { bareGold: true, lenient: true }).correct);
  const forgiven = [
    ["45", "45\\%"],
    ["45\\%", "45"],
    ["\\frac13", "0.33"],
    ["\\pi", "3.14"],
    ["12 \\text{ cm}", "12 \\text{ m}"],
    ["1011_2", "1011"],
  ] as const;
  expect(verdictsOf(forgiven)).toEqual(forgiven.map(() => true));
  expect(forgiven.map(([gold, answer]) => gradeMaths(`\\boxed{${answer}}`, gold, { bareGold: true }).correct)).toEqual(
    forgiven.map(() => false),
  );
  const others = [
    ["45", "54\\%"],
    ["\\frac13", "0.34"],
    ["\\frac13", "0.3"],
    ["\\pi", "3.15"],
    ["12 \\text{ cm}", "13 \\text{ cm}"],
    ["1011_2", "1101"],
    ["(1, 2)", "(2, 1)"],
  ] as const;
  expect(verdictsOf(others)).toEqual(others.map(() => false));
});

test("the grader also matches labels on pairs of another seed", async () => {
  const { rows } = drawBoard("a");
  expect(rows.length).toBeGreaterThan(600);
  const { accepted, rejected } = await wrongVerdicts(rows);
  expect(accepted).toEqual([]);
  expect(rejected).toEqual([]);
});

test.skipIf(!hasSympy)("SymPy agrees on every pair in its notation (LACONIC_PYTHON)", () => {
  const checks = drawBoard("sympy").checks;
  const { stdout, stderr } = spawnSync(python, [join(root, "bench/peers/sympy_equal.py")], {
    input: checks.map((check) => `${JSON.stringify(check)}\n`).join(""),
    encoding: "utf8",
  });
  const replies = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly id: string; readonly equal: boolean });
  expect(replies.length, stderr).toBe(checks.length);
  expect(checks.length).toBeGreaterThan(150);
  const different = checks.filter(({ equal }, i) => replies[i]?.equal !== equal);
  expect(different).toEqual([]);
});
