import { randomFromSeed, type Problem } from "@laconic/core";
import { expect, test } from "vitest";
import { play } from "../../test/play.ts";
import { relayCriticTask, relayHintTask } from "./actor-tasks.ts";
import { parseFacts } from "./problem.ts";

test("draft, comment on its number, answer with the comment", async () => {
  const task = relayCriticTask({ commentTokens: 3 });
  const problem = { id: "1", question: "k+e", gold: "15", views: { actor: "k6", collaborator: "e9" } };
  const answers = ["the answer is 12", "15"];
  const { episode } = await play(task.topology, problem, (agent, _, { sampling }) =>
    agent === "actor" ? (answers.shift() ?? "") : "e9 and more".slice(0, sampling.maxTokens),
  );
  expect(episode.utterances.map(({ prompt }) => prompt)).toEqual(["S:k+e?k6||>", "A:e9?k+e|12>", "S:k+e?k6|e9 |>"]);
  expect(task.grader(episode.answer, problem)).toBe(1);
  expect(task.trainedAgents).toEqual(["collaborator"]);
});

test("the collaborator knows the second value, the actor the first and in half of the problems both", () => {
  const task = relayHintTask({ distractors: 2, testProblems: 300 });
  let both = 0;
  for (const { question, gold, views = {} } of task.testProblems) {
    const [first, second] = question.split("+");
    const [held, known] = [parseFacts(views["collaborator"] ?? ""), parseFacts(views["actor"] ?? "")];
    expect([held.length, known[0]?.key]).toEqual([3, first]);
    const value = held.find(({ key }) => key === second)?.value ?? Number.NaN;
    expect(String((known[0]?.value ?? Number.NaN) + value)).toBe(gold);
    if (known.length === 2) both++;
  }
  expect(both / 300).toBeGreaterThan(0.4);
  expect(both / 300).toBeLessThan(0.6);
  const testProblems = new Set(task.testProblems.map(({ id }) => id));
  expect(task.problems(randomFromSeed(1), 500).some(({ id }) => testProblems.has(id))).toBe(false);
});

test("the hint is cut to its tokens; the actor reads what is left", async () => {
  const task = relayHintTask({ hintTokens: 3 });
  const [problem] = task.testProblems as [Problem];
  const { episode } = await play(task.topology, problem, (agent, _, { sampling }) =>
    agent === "actor" ? problem.gold : "abcdef".slice(0, sampling.maxTokens),
  );
  expect(episode.utterances.map(({ agent, text }) => [agent, text])).toEqual([
    ["collaborator", "abc"],
    ["actor", problem.gold],
  ]);
  expect(task.grader(episode.answer, problem)).toBe(1);
  expect(() => relayHintTask({ distractors: 99 })).toThrow(/0 to 8/u);
});

test("an actor that reads everything has all facts in its prompt around the hint, and its answer has a token limit", async () => {
  const task = relayHintTask({ actorReads: "everything", distractors: 1, actorTokens: 2 });
  for (const { views = {}, question } of task.testProblems) {
    const known = parseFacts(views["actor"] ?? "").map(({ key }) => key);
    const asked = question.split("+");
    expect([known.length, asked.every((key) => known.includes(key))]).toEqual([3, true]);
  }
  const [problem] = task.testProblems as [Problem];
  const { episode } = await play(task.topology, problem, (agent, _, { sampling }) =>
    agent === "actor" ? "12345".slice(0, sampling.maxTokens) : "x1",
  );
  const [first, ...others] = (problem.views?.["actor"] ?? "").split(" ");
  const { prompt, text } = episode.utterances.at(-1) ?? {};
  expect(text).toBe("12");
  expect(prompt).toContain(`?${[first, "x1", ...others].join("|")}>`);
});
