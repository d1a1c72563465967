import assert from "node:assert/strict";
import { gradeProgram, type ProgramTests } from "../grading/grade-program.ts";
import type { Sandbox, SandboxStatus } from "../sandbox.ts";
import { attemptsAt } from "../self-test.ts";
import table from "../../assets/sandbox-cases.json" with { type: "json" };

/** Conformance case of a sandbox. */
export interface SandboxCase {
  readonly name: string;
  run(sandbox: Sandbox): Promise<void>;
}

const tests: ProgramTests = {
  prompt: "def double(x):\n    pass\n",
  entryPoint: "double",
  test: "def check(candidate):\n    assert candidate(2) == 4\n    assert candidate('ab') == 'abab'\n    assert candidate([1]) == [1, 1]\n",
};

interface Table {
  /** Wrong programs that would pass a careless grader, by attack. */
  readonly forgedGrades: { readonly tests: ProgramTests; readonly programs: Readonly<Record<string, string>> };
  /** Programs with unusual endings, with seconds. The fork bomb stops after six generations, in case a sandbox fails. */
  readonly endings: readonly (readonly [
    what: string,
    code: string,
    status: readonly SandboxStatus[],
    seconds: number,
  ])[];
  readonly classes: string;
  /** Return value, tested expression, and whether it holds in Python. */
  readonly values: readonly (readonly [value: string, expression: string, expected: boolean])[];
}
const { forgedGrades, endings, classes, values } = table as unknown as Table;

/** Conformance cases of all sandboxes. Each case restores the sandbox. */
export const sandboxCases: readonly SandboxCase[] = [
  ...endings.map(([what, code, status, seconds]): SandboxCase => ({
    name: `${what}: ${status.join(" or ")}, and the next run is unaffected`,
    run: async (sandbox) => {
      const result = await sandbox.run({ code, seconds });
      assert.ok(status.includes(result.status), `${result.status}: ${result.stderr.slice(-200)}`);
      // Wall time may be longer: the limit is on the program's time.
      assert.ok(result.seconds < 30 + 20 * seconds, `${result.seconds} s`);
      const next = await sandbox.run({ code: "print(1 + 1)" });
      assert.deepEqual([next.status, next.exitCode, next.stdout], ["ok", 0, "2\n"]);
    },
  })),
  {
    name: "standard input, output, error and files arrive as they are, in any script",
    run: async (sandbox) => {
      const code = "import sys\nprint(sys.stdin.read() + open('facts.txt').read())\nprint('päng', file=sys.stderr)";
      const result = await sandbox.run({ code, stdin: "日本 🙂 ", files: { "facts.txt": "äöü \u{1f600}" } });
      assert.deepEqual([result.stdout, result.stderr], ["日本 🙂 äöü \u{1f600}\n", "päng\n"]);
    },
  },
  {
    name: "a program in any script runs as it is written",
    run: async (sandbox) => {
      const { stdout } = await sandbox.run({ code: 'größe = "日本語テキスト 🙂"\nprint(größe, len(größe))' });
      assert.equal(stdout, "日本語テキスト 🙂 9\n");
    },
  },
  {
    name: "nothing that a program changes is there for the next one",
    run: async (sandbox) => {
      await sandbox.run({
        code: "import builtins, json, sys\nbuiltins.len = None\njson.dumps = None\nsys.modules['re'] = None",
      });
      const { stdout } = await sandbox.run({
        code: "import json, re\nprint(len([1]), json.dumps([]), re.escape('x'))",
      });
      assert.equal(stdout, "1 [] x\n");
    },
  },
  {
    name: "runs beside each other do not mix",
    run: async (sandbox) => {
      const results = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          sandbox.run({ code: "import sys\nprint(sys.stdin.read())", stdin: `run ${i}` }),
        ),
      );
      assert.deepEqual(
        results.map(({ stdout }) => stdout),
        Array.from({ length: 8 }, (_, i) => `run ${i}\n`),
      );
    },
  },
  {
    name: "the caller stays responsive while a program spins",
    run: async (sandbox) => {
      let ticks = 0;
      const timer = setInterval(() => void ticks++, 10);
      await sandbox.run({ code: "while True: pass", seconds: 0.5 });
      clearInterval(timer);
      assert.ok(ticks > 10, `${ticks} ticks in half a second`);
    },
  },
  {
    name: "an abort ends the run",
    run: async (sandbox) => {
      const controller = new AbortController();
      const running = sandbox.run({ code: "while True: pass", seconds: 3, signal: controller.signal });
      setTimeout(() => controller.abort(), 100);
      assert.equal((await running).status, "aborted");
      assert.equal((await sandbox.run({ code: "", signal: controller.signal })).status, "aborted");
      assert.equal((await sandbox.run({ code: "" })).status, "ok");
    },
  },
  {
    name: "a program that is too long and a file name that climbs are refused",
    run: async (sandbox) => {
      const long = "#".repeat(sandbox.record.limits.inputBytes + 1);
      await assert.rejects(sandbox.run({ code: long }), { code: "input_invalid" });
      await assert.rejects(sandbox.run({ code: "", files: { "../x": "" } }), { code: "input_invalid" });
    },
  },
  {
    name: "its record names kind, version, checksum, limits and network",
    run: async ({ record }) => {
      assert.match(record.sha256, /^[0-9a-f]{64}$/u);
      assert.ok(record.version.includes("CPython"));
      assert.equal(record.network, "none");
    },
  },
  {
    name: "programs that pass their tests, and programs that do not",
    run: async (sandbox) => {
      const verdict = async (program: string): Promise<string> => {
        const { correct, rule } = await gradeProgram(program, tests, sandbox);
        return `${correct}: ${rule}`;
      };
      assert.equal(await verdict("def double(x):\n    print('noise')\n    return x + x\n"), "true: all tests passed");
      assert.equal(await verdict("def double(x):\n    return x\n"), "false: AssertionError");
      assert.match(await verdict("def double(x):\n    return x + 1\n"), /^false: /u);
      assert.match(await verdict("def halve(x):\n    return x\n"), /^false: does not load: KeyError/u);
      assert.match(await verdict("def double(x)\n"), /^false: does not load: SyntaxError/u);
      assert.match(
        await verdict("def double(x):\n    return lambda: x\n"),
        /^false: returned a value of type function/u,
      );
      assert.match(await verdict("def double(x):\n    while True: pass\n"), /^false: time limit/u);
    },
  },
  {
    name: "what compares as built-in values do is graded by its value, and what compares in its own way is wrong",
    run: async (sandbox) => {
      for (const [value, expression, expected] of values) {
        const theirs: ProgramTests = {
          prompt: "def f(x):\n    pass\n",
          entryPoint: "f",
          test: `from decimal import Decimal\nfrom fractions import Fraction\ndef check(candidate):\n    assert ${expression.replace("it", "candidate(1)")}\n`,
        };
        const { correct, rule } = await gradeProgram(`${classes}def f(x):\n    return ${value}\n`, theirs, sandbox);
        assert.equal(correct, expected, `${value}, ${expression}: ${rule}`);
      }
    },
  },
  {
    name: "tests that depend on answers: each argument is what the answers before it make it",
    run: async (sandbox) => {
      const chain: ProgramTests = {
        prompt: "def step(x):\n    pass\n",
        entryPoint: "step",
        test: "def check(candidate):\n    x = 1\n    for _ in range(5):\n        x = candidate(x)\n    assert x == 32\n    try:\n        candidate('a')\n        assert False\n    except TypeError:\n        pass\n",
      };
      const right = "def step(x):\n    if type(x) is not int: raise TypeError('no')\n    return 2 * x\n";
      const { steps, ...verdict } = await gradeProgram(right, chain, sandbox);
      assert.deepEqual(
        steps.slice(0, 2).map(({ answer }) => answer),
        ['[[["int","1"]],[]] gives ["int","2"]', '[[["int","2"]],[]] gives ["int","4"]'],
      );
      assert.deepEqual(verdict, {
        correct: true,
        decided: true,
        limited: false,
        rule: "all tests passed",
        gradingMode: "two-phase",
        calls: 6,
      });
      assert.equal((await gradeProgram("def step(x):\n    return 2 * x\n", chain, sandbox)).correct, false);
    },
  },
  ...Object.entries(forgedGrades.programs).map(([name, program]): SandboxCase => ({
    name: `grading is not fooled by ${name}`,
    run: async (sandbox) => assert.equal((await gradeProgram(program, forgedGrades.tests, sandbox)).correct, false),
  })),
  ...attemptsAt("/nowhere", 9).map(({ name, program }): SandboxCase => ({
    name: `after an attempt at "${name}" the next run is unaffected`,
    run: async (sandbox) => {
      await sandbox.run({ code: program, seconds: 2 });
      assert.equal((await sandbox.run({ code: "print('well')" })).stdout, "well\n");
    },
  })),
];
