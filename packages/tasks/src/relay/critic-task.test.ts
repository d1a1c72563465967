import { randomFromSeed } from "@laconic/core";
import { scriptedModel } from "@laconic/core/testing";
import { expect, test } from "vitest";
import { relayCriticTask } from "./critic-task.ts";

test("draft, comment on its number, answer with the comment", async () => {
  const task = relayCriticTask({ commentTokens: 3 });
  const problem = {
    id: "1",
    question: "k+e",
    gold: "15",
    views: { actor: "k6", collaborator: "e9" },
  };
  let turn = 0;
  const models = {
    actor: scriptedModel(() => ({ text: turn++ === 0 ? "the answer is 12" : "15" })),
    collaborator: scriptedModel(({ sampling }) => "e9 and more".slice(0, sampling.maxTokens)),
  };
  const episode = await task.topology.run(problem, { models, sampling: { temperature: 1 }, random: randomFromSeed(0) });
  expect(episode.utterances.map(({ prompt }) => prompt)).toEqual(["S:k+e?k6||>", "A:e9?k+e|12>", "S:k+e?k6|e9 |>"]);
  expect(task.grader(episode.answer, problem)).toBe(1);
  expect(task.trainedAgents).toEqual(["collaborator"]);
  expect(task.actorAlone.agents).toEqual(["actor"]);
});
