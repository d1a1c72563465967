import { describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { namedTask, openTask, taskNames, taskSettingsSchema, taskTitle } from "../src/named/index.ts";
import type { TaskSettings } from "../src/named/index.ts";

// Neither is to be loaded before a task over text is opened.
vi.mock("@laconic/sandbox", () => {
  throw new Error("the sandbox was loaded");
});
vi.mock("@laconic/hub/tokenizers", () => {
  throw new Error("the tokenizers were loaded");
});

const data = { train: "problems.csv", testProblems: { share: 0.1 }, grading: { kind: "numeric" } } as const;

const examples: readonly (readonly [title: string, world: string | null, frozen: boolean, settings: TaskSettings])[] = [
  ["relay/two-facts", "relay/two-facts", false, { name: "relay", level: "two-facts" }],
  ["relay-hint", "relay/one-fact", true, { name: "relay-hint", learns: "actor" }],
  ["relay-critic", "relay/one-fact", true, { name: "relay-critic", commentTokens: 3 }],
  ["relay-writers", "relay/one-fact", false, { name: "relay-writers" }],
  ["relay-feedback", "relay/one-fact", false, { name: "relay-feedback" }],
  ["story-tellers", null, false, { name: "story-tellers", tellerTokens: 30 }],
  ["benchmark/gsm8k/hint+critic", null, true, { name: "benchmark", benchmark: "gsm8k", team: ["hint", "critic"] }],
  ["benchmark/gsm8k/star", null, false, { name: "benchmark", benchmark: "gsm8k", team: "star", agents: 4 }],
  ["data/debate", null, true, { name: "data", data, team: "debate", rounds: 3 }],
  ["writing/arxiv", null, false, { name: "writing", form: "arxiv", strict: true }],
  ["code/humaneval/2", null, false, { name: "code", benchmark: "humaneval", turns: 2 }],
  ["gateway/scout+solver", null, true, { name: "gateway", agents: ["scout", "solver"], frozen: ["solver"] }],
];

describe.each(examples)("%s", (title, world, frozen, settings) => {
  test("parses to the written settings and rejects others", () => {
    expect(taskSettingsSchema.parse(settings)).toMatchObject(settings);
    expect(taskSettingsSchema.safeParse({ ...settings, stray: 1 }).success).toBe(false);
  });

  test("describes the game in two to five short sentences", () => {
    const sentences = namedTask(settings)
      .about(settings)
      .split(/(?<=[.]) /u);
    expect([2, 3, 4, 5]).toContain(sentences.length);
    for (const sentence of sentences) expect(sentence.split(" ").length, sentence).toBeLessThanOrEqual(32);
  });

  test("states its title, its policy's source, and whether all agents learn", () => {
    expect(taskTitle(settings)).toBe(title);
    expect(namedTask(settings).world?.(settings) ?? null).toBe(world);
    expect(namedTask(settings).hasFrozenAgents?.(settings) ?? false).toBe(frozen);
  });
});

/** Settings without a default: absent, each is off or follows from another setting. */
const off: readonly string[] = [
  "benchmark.density",
  "benchmark.file",
  "benchmark.graphSeed",
  "benchmark.split",
  "data.density",
  "data.graphSeed",
  "gateway.limits",
];

test("fills in default settings, so that a run's configuration shows them", () => {
  const open = taskNames.flatMap((name) => {
    const { shape } = namedTask({ name } as TaskSettings).schema as unknown as z.ZodObject;
    const fields = Object.entries(shape).filter(([, field]) => field instanceof z.ZodExactOptional);
    return fields.map(([field]) => `${name}.${field}`);
  });
  expect(open.toSorted()).toEqual(off);
  expect(taskSettingsSchema.parse({ name: "relay-hint" })).toEqual({
    name: "relay-hint",
    distractors: 0,
    hintTokens: 4,
    actorTokens: 20,
    actorReads: "own",
    learns: "collaborator",
  });
});

test("the examples cover every name", () => {
  expect([...new Set(examples.map(([, , , { name }]) => name))].toSorted()).toEqual([...taskNames].toSorted());
});

test("rejects an unknown name and lists the known ones", () => {
  const { error } = taskSettingsSchema.safeParse({ name: "relays" });
  expect(error?.issues[0]).toMatchObject({ path: ["name"], message: `it must be one of ${taskNames.join(", ")}` });
});

test("a world opens at once with the requested number of test problems", async () => {
  const task = await openTask({ name: "relay", level: "one-fact" }, { testProblems: 7 });
  expect([task.name, task.testProblems.length]).toEqual(["relay/one-fact", 7]);
});

test("a world rejects chat template arguments", async () => {
  const opened = openTask({ name: "relay-writers" }, { templateArguments: { enable_thinking: false } });
  await expect(opened).rejects.toFailWith("config_invalid", { key: "chatTemplateArguments" });
});

test("loads a task over text only when it is opened", async () => {
  const opened = openTask(
    { name: "benchmark", benchmark: "gsm8k", team: "hint" },
    { testProblems: 0, modelFolder: "m" },
  );
  await expect(opened).rejects.toThrow(/mocking a module|was loaded|were loaded/u);
});
