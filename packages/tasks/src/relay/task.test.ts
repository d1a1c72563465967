import { randomFromSeed } from "@laconic/core";
import { expect, test } from "vitest";
import { relayLevels } from "./levels.ts";
import { relaySplit } from "./problem.ts";
import { relayTask } from "./task.ts";

test("a task has everything a run needs", () => {
  const task = relayTask({ level: "two-facts" });
  expect([task.name, task.level, task.tokenizer.vocabularySize]).toEqual([
    "relay/two-facts",
    relayLevels["two-facts"],
    47,
  ]);
  expect(task.topology.agents).toEqual(["holder-a", "holder-b", "holder-c", "solver"]);
  const [problem] = task.testProblems;
  expect(problem && task.grader(problem.gold, problem)).toBe(1);
});

test("test problems are distinct, seeded, and never drawn for training", () => {
  const task = relayTask({ level: "one-fact" });
  expect(new Set(task.testProblems.map(({ id }) => id)).size).toBe(200);
  expect(task.testProblems.every((problem) => relaySplit(problem) === "evaluation")).toBe(true);
  expect(relayTask({ level: "one-fact" }).testProblems).toEqual(task.testProblems);
  expect(relayTask({ level: "one-fact", seed: 1, testProblems: 3 }).testProblems).not.toEqual(
    task.testProblems.slice(0, 3),
  );

  const drawn = task.problems(randomFromSeed("train"), 3000);
  const testProblems = new Set(task.testProblems.map(({ id }) => id));
  expect(drawn.filter(({ id }) => testProblems.has(id))).toEqual([]);
  expect(task.problems(randomFromSeed("train"), 3000)).toEqual(drawn);
});

test.each([
  ["an unknown level", { level: "five-facts" }],
  ["a name from the prototype chain", { level: "toString" }],
])("%s is refused", (_, options) => {
  const unchecked: { level: string } = options;
  // @ts-expect-error the level comes from outside
  const create = (): unknown => relayTask(unchecked);
  expect(create).toThrow(expect.objectContaining({ code: "config_invalid", detail: options }));
});

test.each([-1, 0.5, Infinity, Number.NaN])("%s test problems are refused", (testProblems) => {
  const detail = { testProblems };
  expect(() => relayTask({ level: "one-fact", testProblems })).toThrow(
    expect.objectContaining({ code: "config_invalid", detail }),
  );
});
