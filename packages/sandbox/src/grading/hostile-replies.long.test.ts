import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSandbox, defaultLimits } from "../create-sandbox.ts";
import type { Sandbox, SandboxJob, SandboxResult } from "../sandbox.ts";
import { codeGrader } from "./code-grader.ts";
import { gradeProgram, type ProgramTests } from "./grade-program.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox({ concurrency: 2 });
});
afterAll(() => sandbox.close());

/** HumanEval/33's way of comparing: the tests make tuples of what they get. */
const thirds: ProgramTests = {
  prompt: "def sort_third(l: list):\n    pass\n",
  entryPoint: "sort_third",
  test: "def check(candidate):\n    assert tuple(candidate([1, 2, 3])) == (1, 2, 3)\n    x = candidate([3])\n    assert candidate(x) == [3]\n",
};
const forged = (report: string): string =>
  `import os\ndef sort_third(l):\n    os.write(1, ${JSON.stringify(`\n${report}\n`)}.encode())\n    os._exit(0)\n`;
const answers = (answer: string): string => forged(`{"answers": [${answer}, ${answer}, ${answer}]}`);
const returning = (value: string): string => `def sort_third(l):\n    return ${value}\n`;

describe("failures of a reply are wrong", () => {
  test.for([
    ["half a surrogate pair", `x = "\ud800"\n${returning("x")}`],
    ["brackets 100,000 deep", `x = ${"(".repeat(100_000)}${")".repeat(100_000)}`],
    ["a null for an answer", answers("null")],
    ["a number for an answer", answers("5")],
    ["an answer of two kinds", answers('{"uncrossable": 5, "raised": 7}')],
    ["an exception without a text", answers('{"raised": ["ValueError"]}')],
    ["an exception that is no text", answers('{"raised": [{"toString": 1}, "x"]}')],
    ["a value of no kind", answers('{"value": ["none of these"]}')],
    ["a value that is empty", answers('{"value": []}')],
    ["a value 100,000 deep", answers(`{"value": ${'["list", ['.repeat(1000)}${"]]".repeat(1000)}}`)],
    ["a fraction of zero", answers('{"value": ["Fraction", "1", "0"]}')],
    ["a decimal that is none", answers('{"value": ["Decimal", "one"]}')],
    ["an instance of nothing", answers('{"value": ["instance", "None", null, ["none"]]}')],
    ["a class without a name", answers('{"value": ["instance", {"x": 1}, null, ["int", "1"]]}')],
    ["fields that are code", answers('{"value": ["instance", "P", ["x=print(1)"], ["tuple", [["int", "1"]]]]}')],
    ["more fields than values", answers('{"value": ["instance", "P", ["x", "y"], ["tuple", [["int", "1"]]]]}')],
    ["answers that are null", forged('{"answers": null}')],
    ["a program that says it did not load, without reasons", forged('{"unloadable": 5}')],
    ["one that says it did not load in no words", forged('{"unloadable": [{"toString": 1}, {"toString": 1}]}')],
    ["null", forged("null")],
    ["a prototype", forged('{"__proto__": {"answers": [null, null, null]}}')],
  ] as const)("%s", async ([, program]) => {
    expect(await gradeProgram(program, thirds, sandbox, { seconds: 2 })).toMatchObject({
      correct: false,
      decided: true,
      rule: expect.stringMatching(/./u),
    });
  });

  test.for([
    ["a range without end", returning("range(10 ** 18)"), "its answers end the tests: "],
    ["a list of 900 kB", returning("[7] * 60_000"), "output limit"],
    ["an integer of a million digits", returning("10 ** 1_000_000"), "output limit"],
    ["a text of 2 MB", returning("'x' * (2 << 20)"), "output limit"],
    ["nested lists", returning("[".repeat(60) + "]".repeat(60)), "NestedTooDeep"],
    ["a program of 5 MB", `#${"x".repeat(5 << 20)}\n${returning("l")}`, "longer than"],
    ["control characters, which JSON makes longer", `#${"\u0001".repeat(1 << 20)}\n${returning("l")}`, "longer than"],
    ["300 MiB", returning("len(bytearray(300 << 20)) and l"), "memory limit"],
    ["300 MiB while it loads", `x = bytearray(300 << 20)\n${returning("l")}`, "memory limit"],
    ["a missing module", `import numpy\n${returning("l")}`, "No module named 'numpy'"],
    ["a module that is missing in a call", returning("__import__('numpy').sort(l)"), "No module named 'numpy'"],
    ["a thread", `import threading\n${returning("threading.Thread(target=print).start()")}`, "can't start new thread"],
    ["a process", `import os\n${returning("os.fork()")}`, "has no attribute 'fork'"],
    ["an interpreter that dies", `import os\n${returning("os.abort()")}`, "crashed"],
  ] as const)("a limit of the sandbox is no verdict: %s", async ([, program, rule]) => {
    const verdict = await gradeProgram(program, thirds, sandbox, { seconds: 3 });
    expect(verdict).toMatchObject({ correct: false, decided: false, limited: true });
    expect(verdict.rule).toContain(rule);
  });

  test("an error that the program handles, or that says the same by chance, is its own", async () => {
    for (const line of [
      "raise ValueError('memory')",
      "raise RuntimeError('thread')",
      "raise MemoryError('no')",
      "raise OverflowError('no')",
      "return [].thread",
      "exit(86)",
    ])
      expect(await gradeProgram(`def sort_third(l):\n    ${line}\n`, thirds, sandbox)).toMatchObject({ decided: true });
    const without = "try: import numpy\nexcept ImportError: numpy = None\ndef sort_third(l): return l\n";
    expect(await gradeProgram(without, thirds, sandbox)).toMatchObject({ correct: true });
  });

  test("a time limit of the sandbox below the benchmark's is no verdict", async () => {
    const loop = "def sort_third(l):\n    while True: pass\n";
    expect(await gradeProgram(loop, thirds, sandbox, { seconds: 60 })).toMatchObject({ decided: false, limited: true });
  });
});

function failing(from: number, status: SandboxResult["status"] = "undecided"): Sandbox {
  let runs = 0;
  return {
    ...sandbox,
    run: async (job: SandboxJob) =>
      ++runs >= from ? { status, exitCode: null, stdout: "", stderr: "no memory", seconds: 0 } : sandbox.run(job),
  };
}

describe("failures of the machine give no verdict", () => {
  const right = "def sort_third(l):\n    return l\n";
  test("a right program and a wrong one are both undecided, in either phase", async () => {
    expect(await gradeProgram(right, thirds, sandbox)).toMatchObject({ correct: true, decided: true });
    for (const program of [right, returning("0")])
      for (const from of [1, 2, 3])
        expect(await gradeProgram(program, thirds, failing(from)), `run ${from}`).toMatchObject({
          correct: false,
          decided: false,
        });
    const verdict = await codeGrader(failing(2))(right, thirds);
    expect(verdict).toMatchObject({ decided: false, certainty: "undecided" });
  });
  test("a signal given with the reply ends its judging", async () => {
    expect(await codeGrader(sandbox)(right, thirds, AbortSignal.abort())).toMatchObject({
      correct: false,
      decided: false,
      rule: "two-phase, aborted",
      certainty: "undecided",
    });
  });
  test("tests that do not run by themselves are bad data, whatever the program", async () => {
    await expect(gradeProgram(right, thirds, failing(1, "crashed"))).rejects.toFailWith("data_invalid");
  });
});

test("limits that hold nothing are refused", async () => {
  for (const limits of [{ seconds: Number.NaN }, { seconds: Infinity }, { outputBytes: 0 }, { inputBytes: 1e12 }])
    await expect(createSandbox({ limits: { ...defaultLimits, ...limits } })).rejects.toFailWith("config_invalid", {
      key: Object.keys(limits)[0],
    });
});
