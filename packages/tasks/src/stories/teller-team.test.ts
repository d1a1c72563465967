import { randomFromSeed, type Problem } from "@laconic/core";
import { expect, test } from "vitest";
import { play } from "../../test/play.ts";
import { relayTokenizer as tokenizer } from "../relay/tokenizer.ts";
import { spelled, storyTellersTask } from "./teller-team.ts";
import { unseenNames, knownNames } from "./lexicon.ts";

const testProblems = 40;
const tellers = storyTellersTask({ tokenizer, testProblems });

test("no prompt of the solver has the gold", async () => {
  const [problem] = tellers.testProblems as [Problem];
  const { asked } = await play(tellers.topology, problem, (_agent, _prompt, { prompt, sampling }) => {
    expect([prompt.kind, sampling.stop?.includes("\n")]).toEqual(["text", true]);
    return "it was a nice day";
  });
  expect(asked.at(-1)?.agent).toBe("solver");
  expect(asked.at(-1)?.prompt).not.toContain(problem.gold);
});

test("the solver reads sent messages as sentences, and nothing from silent agents", async () => {
  const problem = { id: "1", question: "red ball", gold: "Lily", views: { one: "A", two: "B", three: "C" } };
  const words: Readonly<Record<string, string>> = { one: "", two: " Lily ran", three: "" };
  const { asked } = await play(tellers.topology, problem, (agent) => words[agent] ?? "");
  expect(Object.fromEntries(asked.map(({ agent, prompt }) => [agent, prompt]))).toEqual({
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
  const few = storyTellersTask({ tokenizer, testProblems, names: 8 }).problems(randomFromSeed(3), 300);
  expect(new Set(few.map(({ gold }) => gold))).toEqual(new Set(knownNames.slice(0, 8)));
});

test("made-up names are drawn without end in training alone, and none of them is kept back", () => {
  const task = storyTellersTask({ tokenizer, testProblems, madeUp: 0.5 });
  const golds = task.problems(randomFromSeed(3), 400).map(({ gold }) => gold);
  const strange = golds.filter((name) => !knownNames.includes(name));
  expect(strange.length).toBeGreaterThan(150);
  expect(strange.length).toBeLessThan(250);
  expect(new Set(strange).size).toBeGreaterThan(0.95 * strange.length);
  expect(strange.every((name) => /^[A-Z][a-z]{1,19}$/u.test(name) && !unseenNames.includes(name))).toBe(true);
  expect(new Set(strange.map((name) => name.length)).size).toBeGreaterThanOrEqual(8);
  expect(task.testProblems).toEqual(storyTellersTask({ tokenizer, testProblems }).testProblems);
});

test.for([
  ["Lily", 1],
  [" Lily and Tom", 1],
  ["Tom and Lily", 0],
  ["", 0],
  [null, 0],
] as const)("a name is right as the first word: %j is graded %d", ([answer, grade]) => {
  expect(tellers.grader?.(answer, { id: "1", question: "hat", gold: "Lily" })).toBe(grade);
});
