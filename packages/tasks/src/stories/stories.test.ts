import { randomFromSeed, type Problem } from "@laconic/core";
import { describe, expect, test } from "vitest";
import { play } from "../../test/play.ts";
import { relayTokenizer as tokenizer } from "../relay/tokenizer.ts";
import { spelled } from "./teller-team.ts";
import { storyBudgetTask, storyHintTask, storyRelayTask, storyTellersTask, storyWritersTask } from "./index.ts";
import { unseenNames, knownNames } from "./lexicon.ts";

const testProblems = 40;
const tasks = [
  storyRelayTask({ tokenizer, testProblems }),
  storyTellersTask({ tokenizer, testProblems }),
  storyHintTask({ tokenizer, testProblems }),
  storyWritersTask({ tokenizer, testProblems }),
  storyBudgetTask({ tokenizer, testProblems }),
];

const alike = tasks.filter(({ name }) => name !== "story-tellers");

describe.each(alike.map((task) => [task.name, task] as const))("%s", (_, task) => {
  const textOf = ({ question, views = {} }: Problem): string => [question, ...Object.values(views)].join(" ");

  test("no test problem is learned on, and no unseen name is", () => {
    const learned = task.problems(randomFromSeed(1), 600);
    const ids = new Set([...task.testProblems, ...(task.validation ?? [])].map(({ id }) => id));
    expect(ids.size).toBe(2 * testProblems);
    expect(learned.filter(({ id }) => ids.has(id))).toEqual([]);
    const unseen = new RegExp(`\\b(?:${unseenNames.join("|")})\\b`, "u");
    expect(learned.filter((problem) => unseen.test(textOf(problem)))).toEqual([]);
    const held = (wanted: string): Problem[] => task.testProblems.filter(({ group }) => group === wanted);
    expect([held("known").length, held("unseen").length]).toEqual([testProblems / 2, testProblems / 2]);
    expect(held("unseen").every((problem) => unseen.test(textOf(problem)))).toBe(true);
    expect(held("known").some((problem) => unseen.test(textOf(problem)))).toBe(false);
  });

  test("no prompt of an answering agent has the gold", async () => {
    const [problem] = task.testProblems as [Problem];
    const { asked } = await play(task.topology, problem, (_agent, _prompt, { prompt, sampling }) => {
      expect([prompt.kind, sampling.stop?.includes("\n")]).toEqual(["text", true]);
      return "it was a nice day";
    });
    expect(asked).toHaveLength(task.topology.agents.length);
    const answering = task.topology.agents.includes("solver") ? asked.at(-1)?.prompt : "";
    expect(answering).not.toContain(problem.gold);
  });
});

/** What each agent is asked, where the others say these words. */
async function prompts(
  task: (typeof tasks)[number],
  problem: Problem,
  words: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const { asked } = await play(task.topology, problem, (agent) => words[agent] ?? "");
  return Object.fromEntries(asked.map(({ agent, prompt }) => [agent, prompt]));
}

test("the solver reads sent messages as sentences, and nothing from silent agents", async () => {
  const [, tellers] = tasks as [unknown, (typeof tasks)[number]];
  const problem = { id: "1", question: "red ball", gold: "Lily", views: { one: "A", two: "B", three: "C" } };
  const asked = await prompts(tellers, problem, { one: "", two: " Lily ran", three: "" });
  expect(asked).toEqual({
    one: "A",
    two: "B",
    three: "C",
    solver: 'Lily ran. Mom found the red ball. "Thank you,',
  });
});

test("spelling earns a part for the first letters; who knew and who did not are counted apart", async () => {
  const task = storyTellersTask({ tokenizer, testProblems, spelling: 0.5 });
  const problem = {
    id: "1",
    question: "red ball",
    gold: "Lily",
    views: { one: "Lily had a ball", two: "The end", three: "The end" },
  };
  const reward = async (words: Readonly<Record<string, string>>) => {
    const { episode } = await play(task.topology, problem, (agent) => words[agent] ?? "");
    return task.reward?.(episode, problem, { signal: new AbortController().signal });
  };
  expect(await reward({ one: "Lily ran", two: "a bird", three: "", solver: "Lil" })).toEqual({
    team: { task: 0 },
    agents: { one: { spelling: 0.5 }, solver: { spelling: (0.5 * 3) / 4 } },
    measures: { name_said: 1, holder_silent: 0, idle_silent: 0.5 },
  });
  expect(await reward({ one: "", two: "Lily", three: "", solver: "Lily" })).toEqual({
    team: { task: 1 },
    agents: { one: { spelling: 0 }, solver: { spelling: 0.5 } },
    measures: { name_said: 0, holder_silent: 1, idle_silent: 0.5 },
  });
  expect([spelled("Lily", "Lily"), spelled("Lilyan", "Lily"), spelled("Tom", "Lily")]).toEqual([1, 4 / 6, 0]);
});

test("fewer known names are a part of them", () => {
  const few = storyRelayTask({ tokenizer, testProblems, names: 8 }).problems(randomFromSeed(3), 300);
  expect(new Set(few.map(({ gold }) => gold))).toEqual(new Set(knownNames.slice(0, 8)));
});

test("made-up names are drawn without end in training alone, and none of them is kept back", () => {
  const task = storyRelayTask({ tokenizer, testProblems, madeUp: 0.5 });
  const golds = task.problems(randomFromSeed(3), 400).map(({ gold }) => gold);
  const strange = golds.filter((name) => !knownNames.includes(name));
  expect(strange.length).toBeGreaterThan(150);
  expect(strange.length).toBeLessThan(250);
  expect(new Set(strange).size).toBeGreaterThan(0.95 * strange.length);
  expect(strange.every((name) => /^[A-Z][a-z]{1,19}$/u.test(name) && !unseenNames.includes(name))).toBe(true);
  // As many lengths as names have.
  expect(new Set(strange.map((name) => name.length)).size).toBeGreaterThanOrEqual(8);
  expect(task.testProblems).toEqual(storyRelayTask({ tokenizer, testProblems }).testProblems);
});

test("helper and actor read the same story; the hint follows with a comma", async () => {
  const [, , hint] = tasks as [unknown, unknown, (typeof tasks)[number]];
  const problem = { id: "1", question: "Tom wanted a hat.", gold: "" };
  expect(await prompts(hint, problem, { helper: " said" })).toEqual({
    helper: "Tom wanted a hat. Mom",
    actor: "Tom wanted a hat. Mom said,",
  });
  expect((await prompts(hint, problem, { helper: "" }))["actor"]).toBe("Tom wanted a hat. Mom");
});

test("the helper learns, or for comparison the actor", () => {
  expect(storyHintTask({ tokenizer, testProblems }).trainedAgents).toEqual(["helper"]);
  expect(storyHintTask({ tokenizer, testProblems, learns: "actor" }).trainedAgents).toEqual(["actor"]);
});

test.for([
  ["Lily", 1],
  [" Lily and Tom", 1],
  ["Tom and Lily", 0],
  ["", 0],
  [null, 0],
] as const)("a name is right as the first word: %j is graded %d", ([answer, grade]) => {
  const [relay] = tasks as [(typeof tasks)[number]];
  expect(relay.grader?.(answer, { id: "1", question: "hat", gold: "Lily" })).toBe(grade);
});
