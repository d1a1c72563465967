import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSandbox } from "../create-sandbox.ts";
import type { Sandbox } from "../sandbox.ts";
import { codeGrader } from "./code-grader.ts";
import { gradeCases, gradingLimits, type ProgramCases } from "./grade-cases.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox({ concurrency: 2, limits: gradingLimits });
});
afterAll(() => sandbox.close());

/** Replies of each way of asking, whether they are right, and what the verdict says; ways to recurse, where `f(n)` is n in n calls. */
const { stdin, recursions, call, method } = JSON.parse(
  readFileSync(new URL("../../test/program-cases.json", import.meta.url), "utf8"),
) as Readonly<
  Record<"stdin" | "call", ProgramCases & { readonly rows: readonly [string, string, boolean, string][] }>
> & {
  readonly recursions: Readonly<Record<string, string>>;
  readonly method: string;
};

test.for(stdin.rows)("stdin: %s", async ([, reply, correct, rule]) => {
  expect(await gradeCases(reply, stdin, sandbox)).toMatchObject({
    correct,
    decided: true,
    rule: expect.stringContaining(rule) as string,
  });
});

test.for(Object.entries(recursions))("allows recursion 5,000 deep: %s", async ([, code]) => {
  const cases = ["1", "150", "5000"].map((n) => ({ input: n, output: n }));
  const verdict = await gradeCases(`${code}\nprint(f(int(input())))`, { entryPoint: null, cases }, sandbox);
  expect(verdict).toMatchObject({ correct: true, decided: true, rule: "all cases passed" });
});

test("recursion without end is wrong or, where the interpreter dies, undecided; both count", async () => {
  const one = { entryPoint: null, cases: [{ input: "", output: "1" }] };
  const plain = await gradeCases("def f(n): return f(n + 1)\nf(0)", one, sandbox);
  expect(plain).toMatchObject({ decided: true, rule: expect.stringContaining("RecursionError") as string });
  const cached = await gradeCases("@cache\ndef f(n): return f(n + 1)\nf(0)", one, sandbox);
  expect(cached).toMatchObject({ correct: false, limited: !cached.decided });
});

test.for([
  ["output", "print('x' * (2 << 20))", "output limit"],
  ["memory", "x = bytearray(300 << 20)", "memory limit"],
  ["a thread", "import threading\nthreading.Thread(target=print).start()", "can't start new thread"],
  ["a missing module", "import numpy as np", "No module named 'numpy'"],
  ["a crash", "import os\nos.abort()", "crashed"],
  ["a size beyond 32 bits", "print(len(range(10 ** 10)))", "OverflowError"],
  ["a long program", `#${"x".repeat(5 << 20)}`, "longer than"],
] as const)("a limit of the sandbox is no verdict: %s", async ([, reply, rule]) => {
  const verdict = await codeGrader(sandbox)(reply, stdin);
  expect(verdict).toMatchObject({ correct: false, decided: false, limited: true, certainty: "undecided" });
  expect(verdict.rule).toContain(rule);
});

test.for(call.rows)("judges a call: %s", async ([, reply, correct, rule]) => {
  const verdict = await codeGrader(sandbox)(reply, call);
  expect(verdict).toMatchObject({ correct, decided: true, rule: expect.stringContaining(rule) as string });
  expect(verdict.extracted).toBe(reply);
});

test("steps say of each test that ran what came, what was expected and how it ended", async () => {
  const stepsOf = async (reply: string, cases: ProgramCases) =>
    (await gradeCases(reply, cases, sandbox)).steps.map(({ name, gold, ended }) => [name, gold, ended]);
  expect(await stepsOf("print('7\\n11.50')", stdin)).toEqual([
    ["case 1 of 2", "7\n11.50", "passed"],
    ["case 2 of 2", "0", "another output"],
  ]);
  expect(await stepsOf("raise ValueError('no')", stdin)).toEqual([["case 1 of 2", "7\n11.50", "ValueError: no"]]);
  const [first, second] = [
    ["case 1 of 2", call.cases[0]?.output],
    ["case 2 of 2", call.cases[1]?.output],
  ];
  expect(await stepsOf(method, call)).toEqual([
    [...(first ?? []), "passed"],
    [...(second ?? []), "passed"],
  ]);
  expect(await stepsOf(method.replace("[] if", "[1] if"), call)).toEqual([
    [...(first ?? []), "passed"],
    [...(second ?? []), "AssertionError"],
  ]);
  // The program answered both calls, and the tests ended at the first.
  expect(await stepsOf(method.replace("len(xs)", "0"), call)).toEqual([[...(first ?? []), "AssertionError"]]);
});

test("a benchmark's tests report for each call whether they continued after it", async () => {
  const asserts = "def check(f):\n    assert f(1) == 1\n    assert f(2) == 2\n    assert f(3) == 3\n";
  const endsOf = async (reply: string) =>
    (await codeGrader(sandbox)(reply, { prompt: "def f(x):\n", test: asserts, entryPoint: "f" })).steps.map(
      ({ name, answer, ended }) => [name, answer.split(" gives ")[1], ended],
    );
  expect(await endsOf("    return min(x, 1)")).toEqual([
    ["call 1 of f", expect.stringContaining("1"), "the tests went on"],
    ["call 2 of f", expect.stringContaining("1"), "AssertionError"],
  ]);
  expect((await endsOf("    return x")).map(([, , ended]) => ended)).toEqual(["passed", "passed", "passed"]);
});

test("no cases are no pass, and a case beyond the sandbox's limits no verdict", async () => {
  expect(await gradeCases("print(1)", { entryPoint: null, cases: [] }, sandbox)).toMatchObject({ correct: false });
  const long = { entryPoint: null, cases: [{ input: "x".repeat(5 << 20), output: "1" }] };
  expect(await gradeCases("print(1)", long, sandbox)).toMatchObject({ correct: false, decided: false });
  const gone = AbortSignal.abort();
  expect(await gradeCases("print(1)", stdin, sandbox, { signal: gone })).toMatchObject({ decided: false });
});

test("an endless program is ended", async () => {
  expect(await gradeCases("while True: pass", stdin, sandbox, { seconds: 0.5 })).toMatchObject({
    correct: false,
    rule: "case 1 of 2: time limit",
  });
});
