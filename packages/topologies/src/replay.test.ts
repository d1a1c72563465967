import { randomFromSeed, type Completion } from "@laconic/core";
import { expect, test } from "vitest";
import { star } from "./built-in.ts";
import { playReplayable } from "./replay.ts";
import { randomPolicy } from "./testing/index.ts";

const text = (content: string) => ({ kind: "messages", messages: [{ role: "user", content }] }) as const;
const team = star(
  ["a", "b"].map((id) => ({ id, role: "holder", maxTokens: 9, prompt: () => text(id) })),
  {
    id: "solver",
    role: "solver",
    maxTokens: 9,
    prompt: ({ inbox }) => text(inbox.map((message) => `${message.from}=${message.text}`).join(";")),
  },
);

function play() {
  const log: Completion[] = [];
  const models = Object.fromEntries(team.agents.map((agent) => [agent, randomPolicy(agent, { silence: 0, log })]));
  const context = { models, sampling: { temperature: 1 }, random: randomFromSeed(0) };
  return { log, played: playReplayable(team, { id: "1", question: "?", gold: "6" }, context) };
}

test("a replay with another message asks only its readers", async () => {
  const { log, played } = play();
  const { episode, replay } = await played;
  const { utterances } = await replay({ messages: { 0: "zz" } });
  expect(log.slice(3).map(({ model }) => model.id)).toEqual(["solver"]);
  expect(utterances[0]).toMatchObject({ text: "zz", deliveredTo: ["solver"] });
  expect(utterances[0]).not.toHaveProperty("trace");
  expect(utterances[1]).toEqual(episode.utterances[1]);
  expect(utterances[2]?.prompt).toBe(`[user]\na=zz;b=${episode.utterances[1]?.text}`);
});

test.each([
  [{ silent: ["c"] }, /unknown agent "c"/u],
  [{ messages: { 3: "" } }, /turn 3; the episode has 3/u],
  [{ observations: { 0: "" } }, /observation 0; the episode has 0/u],
])("refuses an unknown agent, turn or observation: %j", async (change, message) => {
  await expect(play().played.then(({ replay }) => replay(change))).rejects.toThrow(message);
});
