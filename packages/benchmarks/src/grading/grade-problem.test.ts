import { deflateSync } from "node:zlib";
import { mathsGrader, type GradedProblem, type Graders } from "@laconic/grading";
import { afterAll, expect, test } from "vitest";
import { gradeProblem } from "./grade-problem.ts";

const maths = mathsGrader();
afterAll(() => maths.close());

const problem = (gold: string, grading: GradedProblem["grading"]): GradedProblem => ({
  id: "1",
  question: "?",
  gold,
  grading,
});

test.for([
  ["The answer is 20.0", problem("20", { kind: "numeric" }), true, false],
  ["#### 20", problem("20", { kind: "numeric" }), true, true],
  ["The answer is a cat. B", problem("B", { kind: "letter", letters: "ABCD" }), true, false],
  ["\\boxed{0.25}", problem("\\frac14", { kind: "maths" }), true, false],
  ["The final answer is $0.25$. I hope it is correct.", problem("\\frac14", { kind: "maths" }), true, false],
  [
    "The final answer is $0.25$. I hope it is correct.",
    problem("\\frac14", { kind: "maths", published: "minerva" }),
    true,
    true,
  ],
  ["\\boxed{0.45}", problem("0.5", { kind: "maths", tolerance: 0.1 }), true, true],
] as const)("%j by our rule and by the published one", async ([reply, gradedProblem, own, published]) => {
  expect((await gradeProblem(reply, gradedProblem, { maths })).correct).toBe(own);
  expect((await gradeProblem(reply, gradedProblem, { maths, rule: "published" })).correct).toBe(published);
});

test("shown cases and packed cases judge a program", async () => {
  const hidden = deflateSync(Buffer.from(`\x80\x04\x8c\x1e${'[{"input": "2", "output": "4"}]'.slice(0, 30)}`));
  const judged: unknown[] = [];
  const code: NonNullable<Graders["code"]> = async (_, tests) => {
    judged.push(tests);
    return { correct: true, extracted: "", rule: "ran", certainty: "exact" };
  };
  const shown = [{ input: "1", output: "1" }];
  const program = (stored: string): GradedProblem =>
    problem("", { kind: "program", entryPoint: null, shown, hidden: stored });
  await gradeProblem("print(1)", program('[{"input": "2", "output": "4"}]'), { maths, code });
  expect(judged).toEqual([{ entryPoint: null, cases: [...shown, { input: "2", output: "4" }] }]);
  await expect(gradeProblem("print(1)", program(hidden.toString("base64")), { maths, code })).rejects.toMatchObject({
    code: "data_invalid",
    detail: { key: "private_test_cases" },
  });
});
