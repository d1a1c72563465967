import { randomFromSeed, type Problem } from "@laconic/core";
import { describe, expect, test } from "vitest";
import { play } from "../../test/play.ts";
import { gradeOf, gradeOfEpisode } from "../grading.ts";
import { relayFeedbackTask, relayWritersTask } from "./pair-task.ts";

const tasks = [
  relayWritersTask({ testProblems: 40 }),
  relayWritersTask({ testProblems: 40, parts: "alike" }),
  relayFeedbackTask({ testProblems: 40 }),
] as const;
const [unlike, alike] = tasks;
const factOf = (gold: string): Problem => ({ id: "1", question: `${gold}?k+e`, gold });

describe("the writers' grade, level by level", () => {
  test.for([
    ["both wrong", "k is 6", "k6", 0],
    ["the first fits", "k6", "k6", 0.2],
    ["the second fits", "k is 6", "the value of k is 6", 0.2],
    ["just long enough", "k 6", "k is 6 k is 6", 1],
    ["not four times as long", "k  6", "k is 6 it is", 0.4],
    ["the value before the key", "6k", "the value of k is 6", 0.6],
    ["the v of value is no key", "v6", "the value of w is 6", 0.6],
    ["all of it", "k6", "the value of k is 6", 1],
    ["what is named is missing in the second", "k6zz", "the value of k is 6", 0.8 + (0.2 * 2) / 3],
  ] as const)("%s", async ([, first, second, grade]) => {
    const gold = first.startsWith("v") ? "v6" : "k6";
    expect(await gradeOf(unlike, { first, second }, factOf(gold))).toBeCloseTo(grade, 12);
  });
});

test.for([
  ["the value of k is 6", 1],
  ["k6", 0.2],
  ["the k is a 6", 0.4],
  ["the 6 that k has ok", 0.6],
] as const)("parts of like length, both tell the fact: %s", async ([first, grade]) => {
  expect(await gradeOf(alike, { first, second: "the value of k is 6" }, factOf("k6"))).toBeCloseTo(grade, 12);
});

test.each(tasks.map((task) => [task.name, task] as const))("%s: test problems are not drawn", async (_, task) => {
  const held = new Set(task.testProblems.map(({ id }) => id));
  expect(task.problems(randomFromSeed(1), 400).filter(({ id }) => held.has(id))).toEqual([]);
  for (const problem of task.testProblems) expect(await gradeOf(task, {}, problem)).toBe(0);
});

test("each writer is asked as a holder of the relay is", async () => {
  const problem = factOf("k6");
  const reply = (agent: string): string => (agent === "first" ? "k6" : "the value of k is 6");
  const { episode } = await play(unlike.topology, problem, reply);
  expect(episode.utterances.map(({ prompt }) => prompt)).toEqual(["A:k6?k+e>", "B:k6?k+e>"]);
  expect(await gradeOfEpisode(unlike, episode, problem)).toBe(1);
});

test("a text that holds a bar stays one text, and an episode stored without outputs is read from its utterances", async () => {
  const problem = factOf("k6");
  const texts = { first: "k6|", second: "|the value of k is 6" };
  const { episode } = await play(unlike.topology, problem, (agent) => texts[agent as keyof typeof texts]);
  expect(episode.outputs).toEqual(texts);
  const grade = await gradeOf(unlike, texts, problem);
  expect(await gradeOfEpisode(unlike, episode, problem)).toBe(grade);
  const { outputs: _, ...stored } = episode;
  expect(await gradeOfEpisode(unlike, stored, problem)).toBe(grade);
});

test("wrong agents learn it after the first turn, with their own text after a mark; no further call if all are right", async () => {
  const task = relayFeedbackTask();
  const problem: Problem = { id: "1", question: "k+e", gold: "k6 e9" };
  const playing = (texts: readonly string[]) => {
    const left = [...texts];
    return play(task.topology, problem, () => left.shift() ?? "");
  };
  const { episode } = await playing(["k6", "i", "k6", "9"]);
  const prompts = episode.utterances.map(({ prompt }) => prompt);
  expect(prompts).toEqual(["A:?k+e>", "B:?k+e>", "A:?k+e|k6>", "B:e9?k+e|i>"]);
  expect(await gradeOfEpisode(task, episode, problem)).toBe(1);
  expect((await playing(["6", "e9"])).asked).toHaveLength(2);
});
