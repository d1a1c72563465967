import { expect, test } from "vitest";
import { namedTasks, taskNames, type TaskSettings } from "./index.ts";

const settings: readonly TaskSettings[] = [
  { name: "relay", level: "one-fact" },
  { name: "relay", level: "four-holders" },
  { name: "relay-hint" },
  { name: "relay-critic" },
  { name: "relay-writers" },
  { name: "relay-writers", parts: "alike" },
  { name: "relay-feedback" },
  { name: "story-relay" },
  { name: "story-tellers" },
  { name: "story-hint" },
  { name: "story-writers" },
  { name: "story-budget" },
  { name: "benchmark", benchmark: "gsm8k", team: ["hint", "solo"] },
  { name: "data", data: { train: "a.jsonl", grading: "numeric" } as never, team: "star" },
  { name: "writing", form: "tldr" },
  { name: "writing", form: "arxiv" },
  { name: "code", benchmark: "humaneval", turns: 2 },
  { name: "gateway", agents: ["a", "b"] },
];

test("every task with a name says in two sentences what is played", () => {
  expect([...new Set(settings.map(({ name }) => name))].toSorted()).toEqual(taskNames.toSorted());
  for (const each of settings) {
    const about = namedTasks[each.name].about(each as never);
    expect(about.match(/[.](?= |$)/gu)).toHaveLength(2);
    expect(about.length).toBeLessThan(420);
  }
});

test("the relay counts its holders and facts", () => {
  expect(namedTasks.relay.about({ name: "relay", level: "four-holders" })).toMatch(/^4 holders know 2 private facts/u);
});
