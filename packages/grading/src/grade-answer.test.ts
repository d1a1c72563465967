import { afterAll, expect, test } from "vitest";
import type { GradedProblem } from "./grading.ts";
import { gradeAnswer } from "./grade-answer.ts";
import { mathsGrader } from "./maths/maths-grader.ts";
import type { Verdict } from "./verdict.ts";

const maths = mathsGrader();
afterAll(() => maths.close());

const problem = (gold: string, grading: GradedProblem["grading"]): GradedProblem => ({
  id: "1",
  question: "?",
  gold,
  grading,
});
const said = (rule: string): Verdict => ({ correct: true, extracted: "", rule, certainty: "exact" });

test.for([
  ["#### 20.0", problem("20", { kind: "numeric" }), true],
  ["The answer is (E).", problem("E", { kind: "letter", letters: "ABCDE" }), true],
  ["The answer is (E).", problem("E", { kind: "letter", letters: "ABCD" }), false],
  ["\\boxed{0.5}", problem("\\frac12", { kind: "maths" }), true],
  ["\\boxed{0.45}", problem("0.5", { kind: "maths", tolerance: 0.1 }), true],
] as const)("%j is judged as its benchmark says", async ([reply, gradedProblem, right]) => {
  expect((await gradeAnswer(reply, gradedProblem, { maths })).correct).toBe(right);
});

test("code and writing need their graders; without them the bench is rejected", async () => {
  const code = problem("", { kind: "code", prompt: "def f():\n", test: "", entryPoint: "f" });
  const writing = problem("", { kind: "writing", form: "tldr" });
  for (const [gradedProblem, key] of [
    [code, "code"],
    [writing, "writing"],
  ] as const)
    await expect(gradeAnswer("", gradedProblem, { maths })).rejects.toFailWith("config_invalid", { key });
  const graders = {
    maths,
    code: async (...[, , , rule]: readonly unknown[]) => said(`ran, ${String(rule)}`),
    writing: async () => said("read"),
  };
  expect((await gradeAnswer("", code, graders)).rule).toBe("ran, own");
  expect((await gradeAnswer("", code, { ...graders, rule: "published" })).rule).toBe("ran, published");
  expect((await gradeAnswer("", writing, graders)).rule).toBe("read");
});

test("plain JavaScript: an invalid grading and mathematics without a grader are rejected", async () => {
  const unknown = { ...problem("1", { kind: "numeric" }), grading: { kind: "number" } } as unknown as GradedProblem;
  await expect(gradeAnswer("1", unknown, { maths })).rejects.toFailWith("data_invalid", '1: unknown grading "number"');
  const bare = gradeAnswer("\\boxed{1}", problem("1", { kind: "maths" }), {} as never);
  await expect(bare).rejects.toFailWith("config_invalid", { key: "maths" });
});

test("published rules and packed cases are refused with where they are judged, not judged by another rule", async () => {
  const program = problem("", { kind: "program", entryPoint: null, shown: [], hidden: "eJw=" });
  const graders = { maths, rule: "published", code: async () => said("ran") } as const;
  for (const gradedProblem of [problem("1", { kind: "numeric" }), problem("1", { kind: "maths" }), program])
    await expect(gradeAnswer("1", gradedProblem, graders)).rejects.toThrow("gradeProblem of @laconic/benchmarks");
});
