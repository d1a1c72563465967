import { afterAll, beforeAll, expect, test } from "vitest";
import { createSandbox } from "../create-sandbox.ts";
import type { Sandbox } from "../sandbox.ts";
import { codeGrader } from "./code-grader.ts";
import { gradeCases } from "./grade-cases.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox({ concurrency: 2 });
}, 120_000);
afterAll(() => sandbox.close());

const stdin = {
  entryPoint: null,
  cases: [
    { input: "2\n3 4\n5 6\n", output: "7\n11.50\n" },
    { input: "1\n0 0\n", output: "0" },
  ],
};
const sums = "n = int(input())\nfor _ in range(n):\n    a, b = map(int, input().split())\n";

test.for([
  [
    "a right program, in a fence",
    `So:\n\`\`\`python\n${sums}    print(a + b if a != 5 else 11.5)\n\`\`\``,
    true,
    "all cases passed",
  ],
  [
    "another writing of the numbers",
    `${sums}    print(" ", float(a + b) if a != 5 else "1.15e1", " ")\n`,
    true,
    "all cases",
  ],
  [
    "a main guard and modules without imports",
    `def main():\n    for line in sys.stdin.read().split("\\n")[1:-1]:\n        a, b = map(int, line.split())\n        print(a + b + (0.5 if a == 5 else 0))\nif __name__ == "__main__":\n    main()\n    sys.exit(0)`,
    true,
    "all cases",
  ],
  ["a wrong number", `${sums}    print(a + b)\n`, false, "case 1 of 2: another output"],
  ["a line too many", `${sums}    print(a + b if a != 5 else 11.5)\nprint("more")\n`, false, "another output"],
  ["nothing", "", false, "another output"],
  ["an exception", "raise ValueError('no')", false, "case 1 of 2: ValueError: no"],
  ["the answers of the first case alone", "print('7\\n11.50')", false, "case 2 of 2: another output"],
  [
    "a look for the expected output",
    "import gc, os\nprint([o for o in gc.get_objects() if '11.5' in repr(o)][:1] or os.listdir('/'))",
    false,
    "case 1",
  ],
] as const)("stdin: %s", async ([, reply, correct, rule]) => {
  expect(await gradeCases(reply, stdin, sandbox)).toMatchObject({
    correct,
    decided: true,
    rule: expect.stringContaining(rule) as string,
  });
});

const call = {
  entryPoint: "pairs",
  cases: [
    { input: '[1, 2, 3]\n"é\\n"', output: '[[1, "é\\n"], 3]' },
    { input: '[]\n""', output: "[]" },
  ],
};
const body = "(xs, text):\n    if not xs: return ()\n    return ([xs[0], text], Counter(xs).total())\n";
const method = `class Solution:\n    def __init__(self):\n        self.calls = 0\n    def pairs(self, xs: List[int], text: str):\n        self.calls += 1\n        return [] if not xs else [[xs[0], text], len(xs)]\n`;

test.for([
  ["a method of Solution", method, true, "all tests passed"],
  ["a function alone; a tuple counts as its list", `def pairs${body}`, true, "all tests passed"],
  ["another value", method.replace("len(xs)", "0"), false, "AssertionError"],
  ["no such function", "def other(): pass", false, "KeyError"],
  [
    "a value that equals everything",
    "class E:\n    def __eq__(self, o): return True\ndef pairs(xs, t): return E()",
    false,
    "",
  ],
  ["leaving early", "import os\ndef pairs(xs, t): os._exit(0)", false, ""],
] as const)("a call: %s", async ([, reply, correct, rule]) => {
  const verdict = await codeGrader(sandbox)(reply, call);
  expect(verdict).toMatchObject({ correct, decided: true, rule: expect.stringContaining(rule) as string });
  expect(verdict.extracted).toBe(reply);
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
    rule: "case 1 of 2: time",
  });
});
