import { randomFromSeed, type Problem } from "@laconic/core";
import { scriptedModel } from "@laconic/core/testing";
import { describe, expect, test } from "vitest";
import { gradeOf, gradeOfEpisode } from "../grading.ts";
import { spellRelayTokens } from "./tokenizer.ts";
import { relayFeedbackTask } from "./feedback.ts";
import { relayWritersTask, writersGrade } from "./writers.ts";

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
  ] as const)("%s", ([, first, second, grade]) => {
    const gold = first.startsWith("v") ? "v6" : "k6";
    expect(writersGrade([first, second], gold)).toBeCloseTo(grade, 12);
  });
});

test("parts of like length: both tell the fact, and neither is a quarter longer", () => {
  const tells = "the value of k is 6";
  expect(writersGrade([tells, tells], "k6", "alike")).toBe(1);
  expect(writersGrade(["k6", tells], "k6", "alike")).toBeCloseTo(0.2, 12);
  expect(writersGrade(["the k is a 6", tells], "k6", "alike")).toBeCloseTo(0.4, 12);
  expect(writersGrade(["the 6 that k has ok", tells], "k6", "alike")).toBeCloseTo(0.6, 12);
});

const context = { sampling: { temperature: 1 }, random: randomFromSeed(0) };
const tasks = [
  relayWritersTask({ testProblems: 40 }),
  relayWritersTask({ testProblems: 40, parts: "alike" }),
  relayFeedbackTask({ testProblems: 40 }),
];

test.each(tasks.map((task) => [task.name, task] as const))("%s: test problems are not drawn", async (_, task) => {
  const held = new Set(task.testProblems.map(({ id }) => id));
  expect(task.problems(randomFromSeed(1), 400).filter(({ id }) => held.has(id))).toEqual([]);
  for (const problem of task.testProblems) expect(await gradeOf(task, {}, problem)).toBe(0);
});

test("each writer is asked as a holder of the relay is", async () => {
  const task = relayWritersTask();
  const problem: Problem = { id: "1", question: "k6?k+e", gold: "k6" };
  const models = {
    first: scriptedModel(() => ({ text: "k6" })),
    second: scriptedModel(() => ({ text: "the value of k is 6" })),
  };
  const episode = await task.topology.run(problem, { ...context, models });
  expect(episode.utterances.map(({ prompt }) => prompt)).toEqual(["A:k6?k+e>", "B:k6?k+e>"]);
  expect(await gradeOfEpisode(task, episode, problem)).toBe(1);
});

test("a text that holds a bar stays one text, and an episode stored without outputs is read from its utterances", async () => {
  const task = relayWritersTask();
  const problem: Problem = { id: "1", question: "k6?k+e", gold: "k6" };
  const models = { first: scriptedModel(["k6|"]), second: scriptedModel(["|the value of k is 6"]) };
  const episode = await task.topology.run(problem, { ...context, models });
  expect(episode.outputs).toEqual({ first: "k6|", second: "|the value of k is 6" });
  const grade = writersGrade(["k6|", "|the value of k is 6"], "k6");
  expect(await gradeOfEpisode(task, episode, problem)).toBe(grade);
  const { outputs: _, ...stored } = episode;
  expect(await gradeOfEpisode(task, stored, problem)).toBe(grade);
});

test("after the first turn who was wrong is told, with its own words behind a mark; nobody is asked when all are right", async () => {
  const task = relayFeedbackTask();
  const problem: Problem = { id: "1", question: "k+e", gold: "k6 e9" };
  const reported: string[] = [];
  const says = (first: string, second: string) => {
    let turn = 0;
    return scriptedModel(({ prompt }) => {
      if (prompt.kind === "tokens") reported.push(spellRelayTokens(prompt.tokens));
      return { text: turn++ === 0 ? first : second };
    });
  };
  const models = { first: says("k6", "k6"), second: says("i", "9") };
  const episode = await task.topology.run(problem, { ...context, models });
  expect(reported).toEqual(["A:?k+e>", "B:?k+e>", "A:?k+e|k6>", "B:e9?k+e|i>"]);
  expect(await gradeOfEpisode(task, episode, problem)).toBe(1);
  const right = { first: says("6", ""), second: says("e9", "") };
  expect((await task.topology.run(problem, { ...context, models: right })).utterances).toHaveLength(2);
});
