import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { LaconicError } from "@laconic/core";
import { createSandbox, gradeProgram, type ProgramTests } from "@laconic/sandbox";
import { afterAll, describe, expect, test } from "vitest";

const data = process.env["LACONIC_DATA"];
/** `npm run test:chaos -- --long` takes every problem and every wrong program; otherwise they take turns. */
const isLong = process.env["LACONIC_CHAOS"] === "long";

interface Row {
  readonly task_id: string;
  readonly prompt: string;
  readonly entry_point: string;
  readonly test: string;
  readonly canonical_solution: string;
}

function rows<T>(file: string): T[] {
  const bytes = readFileSync(join(data as string, file));
  const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as T);
}

const testsOf = (row: Row): ProgramTests => ({ prompt: row.prompt, test: row.test, entryPoint: row.entry_point });

function busyLoops(count: number): () => void {
  const loops = Array.from({ length: count }, () => spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }));
  return () => {
    for (const loop of loops) loop.kill("SIGKILL");
  };
}

describe.skipIf(data === undefined)("HumanEval's solutions on a busy machine (LACONIC_DATA)", () => {
  test.for(["wasi", "bubblewrap"] as const)("%s", async (kind, { skip }) => {
    const sandbox = await createSandbox({ kind }).catch((error: unknown) => {
      if (LaconicError.is(error) && error.code === "device_unavailable") return error.message;
      throw error;
    });
    if (typeof sandbox === "string") return skip(sandbox);
    const endLoops = busyLoops(4);
    try {
      // How busy the machine is does not depend on the problem, and the loops keep other tests waiting.
      const problems = rows<Row>("humaneval/HumanEval.jsonl.gz").filter((_, i) => isLong || i % 8 === 0);
      const verdicts = await Promise.all(
        problems.map((row) => gradeProgram(row.prompt + row.canonical_solution, testsOf(row), sandbox)),
      );
      expect(verdicts.filter(({ correct }) => !correct)).toEqual([]);
      expect(verdicts).toHaveLength(isLong ? 164 : 21);
    } finally {
      endLoops();
      await sandbox.close();
    }
  });
});

describe.skipIf(data === undefined)("HumanEval (LACONIC_DATA)", async () => {
  const sandbox = await createSandbox();
  afterAll(() => sandbox.close());
  const problems = data === undefined ? [] : rows<Row>("humaneval/HumanEval.jsonl.gz");
  const passed = async (program: (row: Row) => string): Promise<string[]> => {
    const verdicts = await Promise.all(problems.map((row) => gradeProgram(program(row), testsOf(row), sandbox)));
    return problems.filter((_, i) => verdicts[i]?.correct).map(({ task_id: id }) => id);
  };
  test("all published solutions pass", async () => {
    expect(await passed((row) => row.prompt + row.canonical_solution)).toHaveLength(164);
  });
  test("empty and wrong solutions fail", async () => {
    const wrong = ["pass", "return 12345", "import sys; sys.exit(0)"];
    for (const turn of isLong ? wrong.keys() : [0]) {
      const body = (row: Row): string => wrong[(problems.indexOf(row) + turn) % wrong.length] as string;
      expect(await passed((row) => `${row.prompt}    ${body(row)}\n`)).toEqual([]);
    }
  });
  test("the upstream example has pass@1 of 0.5", async () => {
    const [problem] = rows<Row>("humaneval/example_problem.jsonl");
    const samples = rows<{ completion: string }>("humaneval/example_samples.jsonl");
    const verdicts = await Promise.all(
      samples.map(({ completion }) =>
        gradeProgram((problem as Row).prompt + completion, testsOf(problem as Row), sandbox),
      ),
    );
    const c = verdicts.filter(({ correct }) => correct).length;
    expect(c / samples.length).toBe(0.5);
  });
});
