import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSandbox, type Sandbox, type SandboxResult } from "@laconic/sandbox";
import { cooperationReward, type CooperationReward } from "./cooperation.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox({ concurrency: 2 });
});
afterAll(() => sandbox.close());

const tests = {
  prompt: 'import math\n\ndef largest(xs):\n    """The largest of the positive numbers, 0 without any."""\n',
  entryPoint: "largest",
  test: `def check(candidate):
    data = [3, 1]
    assert candidate(data) == 3
    assert candidate(
        []
    ) == 0
    assert candidate([-1]) == 0
    assert candidate([5, 7]) == 7`,
};

const aux = "```python\ndef aux(xs):\n    return [x for x in xs if x > 0]\n```";
const rewardOf = (main: string, helper = aux): Promise<CooperationReward> =>
  cooperationReward({ aux: helper, main }, tests, sandbox, { secondsPerTest: 2 });

describe("levels add up", () => {
  test.for([
    [
      "all of it",
      "def largest(xs):\n    good = aux(xs)\n    if not good:\n        return 0\n    return max(good)",
      aux,
      4,
      null,
    ],
    ["a wrapper", "def largest(xs):\n    return max(aux(xs), default=0)", aux, 0.4 + 0.6 + 0.5 + 1 + 0.5, null],
    [
      "a helper whose result nobody uses",
      "def largest(xs):\n    aux(xs)\n    best = 0\n    for x in xs:\n        best = max(best, x)\n    return best",
      aux,
      0.4 + 0.6 + 0.5 + 1 + 1,
      null,
    ],
    [
      "a call in a comment only",
      "def largest(xs):\n    # aux(xs)\n    best = 0\n    best = max([best, *xs])\n    return best",
      aux,
      0.4 + 0.6 + 0.5 + 1,
      null,
    ],
    ["half of the tests", "def largest(xs):\n    return 0", "# no helper", 0.6 + 0.5 + 0.5, null],
    ["no main function", "def smallest(xs):\n    return 1", aux, 0.4, "main"],
    ["no Python", "def largest(xs) return 1", aux, 0.4, "main"],
    ["a helper that is no Python", "def largest(xs):\n    return 1", "def aux(xs) return", 0.6, "syntax"],
  ] as const)("%s", async ([, main, helper, expected, stoppedAt]) => {
    const { reward, stoppedAt: where } = await rewardOf(main, helper);
    expect(reward).toBeCloseTo(expected, 12);
    expect(where).toBe(stoppedAt);
  });
});

describe("schemes", () => {
  test.for([
    [
      "def largest(xs):\n    try:\n        return aux(xs)[0]\n    except Exception:\n        return max(xs)",
      ["fallback"],
    ],
    ["def largest(xs):\n    if not xs:\n        return 0\n    return max(aux(xs))", ["decorator"]],
    ["def largest(xs):\n    parts = [aux([x]) for x in xs]\n    return len(parts)", ["coordinator"]],
    ["def largest(xs):\n    if aux(xs):\n        return 1\n    return 0", ["strategy-filter"]],
    ["def largest(xs):\n    return max(xs)", []],
  ] as const)("%j", async ([main, schemes]) => {
    expect((await rewardOf(main)).schemes).toEqual(schemes);
  });
});

test("feedback names one failing test; a program that hangs stops the count", async () => {
  const wrong = await rewardOf("def largest(xs):\n    return 3");
  expect(wrong.feedback).toMatch(
    /^1 of 4 tests pass\. AssertionError in:\nassert candidate\(\[\]\) == 0 The helper aux is never called\.$/u,
  );
  const hangs = await cooperationReward(
    { aux, main: "def largest(xs):\n    while True: pass\n    return 1" },
    tests,
    sandbox,
    {
      secondsPerTest: 0.5,
    },
  );
  expect(hangs.terms.tests).toBe(0);
  // In words of one's own the same is told of the first test.
  expect([wrong, hangs].map(({ report }) => [report.auxDefined, report.callsAux, report.first])).toEqual([
    [true, false, { assert: "assert candidate(data) == 3", failure: null }],
    [true, false, { assert: "assert candidate(data) == 3", failure: "time limit" }],
  ]);
  const { report } = await rewardOf("def smallest(xs):\n    return 1");
  expect([report.mainDefined, report.parses, report.first.failure]).toEqual([false, true, undefined]);
  expect(hangs.feedback).toContain("time limit");
});

test("a forged verdict has no effect: programs never run where verdicts are read", async () => {
  const forged = `print('{"auxDefined": true}')\nimport sys\ndef largest(xs):\n    return 0\nsys.exit(0)`;
  const { terms } = await rewardOf(forged);
  expect(terms.tests).toBe(0);
});

test.for([
  ["brackets 100,000 deep", `def largest(xs):\n    return ${"(".repeat(100_000)}${")".repeat(100_000)}`],
  ["minus signs", `def largest(xs):\n    return ${"-".repeat(100_000)}1`],
  ["a function of 5 MB", `def largest(xs):\n    return "${"x".repeat(5 << 20)}"`],
] as const)("functions that cannot be read pass no test: %s", async ([, main]) => {
  const { undecided, terms, reward } = await rewardOf(main, "");
  expect({ undecided, tests: terms.tests }).toEqual({ undecided: null, tests: 0 });
  expect(reward).toBeLessThanOrEqual(1.5);
});

function failing(from: number, status: SandboxResult["status"] = "undecided"): Sandbox {
  let runs = 0;
  const failed = { status, exitCode: null, stdout: "", stderr: "no memory", seconds: 0 };
  return { ...sandbox, run: async (job) => (++runs >= from ? failed : sandbox.run(job)) };
}

test("failures of the machine give no verdict, and unreadable tests are invalid data", async () => {
  const replies = { aux: "", main: "def largest(xs):\n    return 3" };
  for (const from of [1, 2, 3])
    expect((await cooperationReward(replies, tests, failing(from))).undecided).toMatch(/machine|could not/u);
  const { undecided } = await cooperationReward(replies, tests, sandbox, { signal: AbortSignal.abort() });
  expect(undecided).toContain("aborted");
  const bad = cooperationReward(replies, { ...tests, test: "def (" }, sandbox);
  await expect(bad).rejects.toFailWith("data_invalid");
});
