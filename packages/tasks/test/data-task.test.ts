import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DataSettings } from "@laconic/benchmarks";
import { randomFromSeed, type ChatTokenizer, type Problem } from "@laconic/core";
import { expect, test, vi } from "vitest";
import { gradeOf } from "../src/testing/index.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { dataTask, type DataTaskResources } from "../src/text/benchmark-task.ts";

// The model's tokenizer is not what is tested here.
vi.mock("@laconic/hub/tokenizers", () => ({ loadTokenizer: async () => ({}) as ChatTokenizer }));

const resources: DataTaskResources = { modelFolder: "model" };

async function saved(rows: readonly object[]): Promise<string> {
  const folder = await temporaryFolder();
  const path = join(folder, "rows.jsonl");
  await writeFile(path, rows.map((row) => JSON.stringify(row)).join("\n"));
  return path;
}

const shared = async (rows: readonly object[], grading: DataSettings["grading"]): Promise<DataSettings> => ({
  train: await saved(rows),
  testProblems: { share: 0.25 },
  grading,
});
const sums = Array.from({ length: 8 }, (_, i) => ({ question: `${i} + 1?`, gold: `${i + 1}` }));

test("shows options once and grades letters", async () => {
  const rows = sums.map(({ question }, i) => ({ question, choices: ["no", `${i + 1}`], gold: "B" }));
  const task = await dataTask({ name: "data", team: "solo", data: await shared(rows, "letter") }, resources);
  expect([task.name, task.pool?.length, task.testProblems.length]).toEqual(["data/solo", 6, 2]);
  const [problem] = task.testProblems as [Problem];
  expect(problem.question).toMatch(/^\d \+ 1\?\nA\) no\nB\) \d$/u);
  expect([
    await gradeOf(task, "(B)", problem),
    await gradeOf(task, "(A)", problem),
    await gradeOf(task, null, problem),
  ]).toEqual([1, 0, 0]);
  await task.close?.();
});

test("a custom grader replaces the data's", async () => {
  const settings = { name: "data", team: "solo", data: await shared(sums, "numeric") } as const;
  const task = await dataTask(settings, resources, async (answer, { gold, grading }) =>
    grading.kind === "numeric" && answer === `exactly ${gold}` ? 0.5 : 0,
  );
  const [problem] = task.problems(randomFromSeed(0), 1) as [Problem];
  expect(await gradeOf(task, `exactly ${problem.gold}`, problem)).toBe(0.5);
  expect(await gradeOf(task, problem.gold, problem)).toBe(0);
  await task.close?.();
});

test("accepts code tests as a list of asserts", async () => {
  const rows = ["one", "two", "three", "four"].map((name, i) => ({
    question: `Write ${name}(x), which adds ${i + 1}.`,
    gold: [`assert ${name}(1) == ${i + 2}`, `assert ${name}(-1) == ${i}`],
    entry_point: name,
  }));
  const task = await dataTask({ name: "data", team: "solo", data: await shared(rows, "code") }, resources);
  const [problem] = task.testProblems as [Problem & { grading: { entryPoint: string } }];
  const { entryPoint } = problem.grading;
  const adds = rows.findIndex((row) => row.entry_point === entryPoint) + 1;
  const program = (by: number): string => `\`\`\`python\ndef ${entryPoint}(x):\n    return x + ${by}\n\`\`\``;
  expect([await gradeOf(task, program(adds), problem), await gradeOf(task, program(adds + 1), problem)]).toEqual([
    1, 0,
  ]);
  await task.close?.();
});

test("omits and counts problems that cannot be dealt and unreadable rows", async () => {
  const stated = sums.map((row, i) => ({ ...row, question: `Ann has ${i} eggs. Bob has 2 eggs. How many are there?` }));
  const notes: string[] = [];
  const noting = { ...resources, note: (text: string) => void notes.push(text) };
  const data = { ...(await shared([...stated, ...sums, { question: "?" }], "numeric")), mode: "lenient" } as const;
  const task = await dataTask({ name: "data", team: "star", agents: 2, data }, noting);
  expect([...(task.pool ?? []), ...task.testProblems]).toHaveLength(8);
  expect(notes).toEqual([
    expect.stringMatching(/^skipped: 1 rows of the data; the first is .* row 17: gold is not a column/u),
    expect.stringMatching(/^skipped: \d of \d+ training problems state fewer than two facts/u),
    expect.stringMatching(/^skipped: \d of \d+ test problems state fewer than two facts/u),
  ]);
  await task.close?.();
});

test("rejects contradictory settings", async () => {
  const refusal = async (data: DataSettings, team: "solo" | "star"): Promise<string> =>
    dataTask({ name: "data", team, data }, resources).then(
      () => "",
      (error: Error) => error.message,
    );
  const six = sums.map((row) => ({ ...row, choices: ["1", "2", "3", "4", "5", "6"], gold: "F" }));
  expect(await refusal(await shared(six, "letter"), "solo")).toBe(
    'task.data.grading: a question has 6 options; write { kind: "letter", letters: "ABCDEF" }',
  );
  expect(await refusal(await shared(six, { kind: "letter", letters: "ABCDEF" }), "solo")).toBe("");
  const functions = sums.map((row) => ({ ...row, entry_point: "f", gold: "assert f(1) == 2" }));
  expect(await refusal(await shared(functions, "code"), "star")).toContain("fewer than two facts");
  expect(await refusal({ train: "hub:a/b/c.csv", testProblems: { share: 0.1 }, grading: "text" }, "solo")).toContain(
    "hub:a/b/c.csv needs hub",
  );
});
