import { afterAll, beforeAll, expect, test } from "vitest";
import { createSandbox } from "../create-sandbox.ts";
import type { Sandbox } from "../sandbox.ts";
import { codeGrader } from "./code-grader.ts";
import { gradeCases, gradingLimits } from "./grade-cases.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox({ concurrency: 2, limits: gradingLimits });
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
  [
    "the largest size of 64 bits, as infinity",
    `${sums}    print(min(sys.maxsize, maxsize, 2 ** 40, a + b) if a != 5 else 11.5)`,
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

/** Ways to recurse. `f(n)` is n; `n` calls are nested. */
const recursions = {
  plain: "def f(n): return 0 if n == 0 else 1 + f(n - 1)",
  "@cache": "@cache\ndef f(n): return 0 if n == 0 else 1 + f(n - 1)",
  "a generator": "def f(n): return 0 if n == 0 else 1 + max(f(n - 1) for _ in range(1))",
  "generators in generators":
    "def g(n):\n    if n: yield from g(n - 1)\n    yield n\ndef f(n): return sum(1 for _ in g(n)) - 1",
  map: "def f(n): return 0 if n == 0 else 1 + sum(map(f, [n - 1]))",
  __call__: "class F:\n    def __call__(self, n): return 0 if n == 0 else 1 + self(n - 1)\nf = F()",
  __eq__:
    "class A:\n    def __init__(self, n): self.n = n\n    def __eq__(self, o): return self.n == 0 or A(self.n - 1) == o\ndef f(n): return n if A(n) == 1 else -1",
  "sorted's key": "def f(n):\n    if n: sorted([n - 1], key=f)\n    return n",
  "two functions":
    "@lru_cache(None)\ndef g(n): return 0 if n == 0 else 1 + f(n - 1)\ndef f(n): return 0 if n == 0 else 1 + g(n - 1)",
  "a path's depth-first search":
    "def f(n):\n    edges = [[i + 1] for i in range(n)] + [[]]\n    def visit(v): return max((1 + visit(w) for w in edges[v]), default=0)\n    return visit(0)",
  "nested data":
    "def f(n):\n    x = []\n    for _ in range(n): x = [x]\n    return len(repr(json.loads(json.dumps(deepcopy(x))))) // 2 - 1",
} as const;

test.for(Object.entries(recursions))("recursion 5,000 deep works: %s", { timeout: 120_000 }, async ([, code]) => {
  const cases = ["1", "150", "5000"].map((n) => ({ input: n, output: n }));
  const verdict = await gradeCases(`${code}\nprint(f(int(input())))`, { entryPoint: null, cases }, sandbox);
  expect(verdict).toMatchObject({ correct: true, decided: true, rule: "all cases passed" });
});

test(
  "recursion without end is wrong or, where the interpreter dies, undecided; both count",
  { timeout: 240_000 },
  async () => {
    const one = { entryPoint: null, cases: [{ input: "", output: "1" }] };
    const plain = await gradeCases("def f(n): return f(n + 1)\nf(0)", one, sandbox);
    expect(plain).toMatchObject({ decided: true, rule: expect.stringContaining("RecursionError") as string });
    const cached = await gradeCases("@cache\ndef f(n): return f(n + 1)\nf(0)", one, sandbox);
    expect(cached).toMatchObject({ correct: false, limited: !cached.decided });
  },
);

test.for([
  ["output", "print('x' * (2 << 20))", "output limit"],
  ["memory", "x = bytearray(300 << 20)", "memory limit"],
  ["a thread", "import threading\nthreading.Thread(target=print).start()", "can't start new thread"],
  ["a missing module", "import numpy as np", "No module named 'numpy'"],
  ["a crash", "import os\nos.abort()", "crashed"],
  ["a size beyond 32 bits", "print(len(range(10 ** 10)))", "OverflowError"],
  ["a long program", `#${"x".repeat(5 << 20)}`, "longer than"],
] as const)("a limit of the sandbox is no verdict: %s", { timeout: 120_000 }, async ([, reply, rule]) => {
  const verdict = await codeGrader(sandbox)(reply, stdin);
  expect(verdict).toMatchObject({ correct: false, decided: false, limited: true, certainty: "undecided" });
  expect(verdict.rule).toContain(rule);
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

test("steps say of each test that ran what came, what was expected and how it ended", async () => {
  const stepsOf = async (reply: string, cases: typeof stdin | typeof call) =>
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

test("tests of a benchmark say of each call whether they went on behind it", async () => {
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
