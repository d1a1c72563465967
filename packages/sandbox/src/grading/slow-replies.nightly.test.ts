import { expect, test } from "vitest";
import { createSandbox } from "../create-sandbox.ts";
import { gradeProgram } from "./grade-program.ts";

// Each takes a sandbox to its limit of memory or time in every run: half a minute.
test.for([
  ["a range that the tests cannot hold", "def f(l):\n    return range(6 * 10 ** 6)\n"],
  ["recursion", "import sys\nsys.setrecursionlimit(10 ** 9)\ndef f(l):\n    return f(l)\n"],
] as const)("%s is not right", async ([, program]) => {
  const sandbox = await createSandbox();
  const tests =
    "def check(candidate):\n    assert tuple(candidate([1, 2, 3])) == (1, 2, 3)\n    assert candidate([3]) == [3]\n";
  try {
    const verdict = await gradeProgram(program, { prompt: "", entryPoint: "f", test: tests }, sandbox, { seconds: 2 });
    expect(verdict).toMatchObject({ correct: false, rule: expect.stringMatching(/./u) });
  } finally {
    await sandbox.close();
  }
});
