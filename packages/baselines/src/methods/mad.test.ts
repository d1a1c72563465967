import { randomFromSeed, type ChatMessage, type CompletionRequest } from "@laconic/core";
import { scriptedModel } from "@laconic/core/testing";
import { expect, test } from "vitest";
import { baselineNamed } from "../index.ts";

const reader = { read: (reply: string) => /\d+/u.exec(reply)?.[0] ?? null, same: (a: string, b: string) => a === b };

async function play(answer: (agent: string, call: number) => string) {
  const team = baselineNamed("mad").create({
    reader,
    answerForm: "End with the number.",
    maxTokens: 50,
    family: "maths",
  });
  const chats: { agent: string; messages: readonly ChatMessage[] }[] = [];
  const models = Object.fromEntries(
    team.agents.map((agent) => [
      agent,
      scriptedModel(({ prompt }: CompletionRequest) => {
        if (prompt.kind !== "messages") throw new Error("expected a chat");
        chats.push({ agent, messages: prompt.messages });
        return answer(agent, chats.length - 1);
      }),
    ]),
  );
  const problem = { id: "1", question: "How many?", gold: "" };
  const episode = await team.run(problem, { models, sampling: { temperature: 0 }, random: randomFromSeed(0) });
  return { chats, episode };
}

const onward = (agent: string, call: number): string =>
  agent === "moderator" ? `{"preference": "none", "answer": ""}` : `${agent} says ${call}`;

test("everybody remembers its own turns, and hears the other side's last message", async () => {
  const { chats, episode } = await play(onward);
  expect(chats.map(({ agent }) => agent)).toEqual([
    ...Array.from({ length: 3 }, () => ["affirmative", "negative", "moderator"]).flat(),
    "judge",
    "judge",
  ]);
  const last = (agent: string) => chats.findLast((chat) => chat.agent === agent)?.messages ?? [];
  const affirmative = last("affirmative");
  expect(affirmative.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user", "assistant", "user"]);
  expect(affirmative.filter(({ role }) => role === "assistant").map(({ content }) => content)).toEqual([
    "affirmative says 0",
    "affirmative says 3",
  ]);
  expect(affirmative.at(-1)?.content).toContain("> negative says 4");
  expect(affirmative.at(-1)?.content).not.toContain("negative says 1");
  expect(
    last("negative")
      .filter(({ role }) => role === "assistant")
      .map(({ content }) => content),
  ).toEqual(["negative says 1", "negative says 4"]);
  expect(last("moderator").map(({ role }) => role)).toEqual([
    "system",
    "user",
    "assistant",
    "user",
    "assistant",
    "user",
  ]);
  // The judge reads first answers alone, and then chooses from its own list.
  const judge = last("judge");
  expect(judge[1]?.content).toContain("> affirmative says 0");
  expect(judge[1]?.content).toContain("> negative says 1");
  expect(judge[1]?.content).not.toContain("says 3");
  expect(judge.slice(2).map(({ role }) => role)).toEqual(["assistant", "user"]);
  for (const { messages } of chats)
    expect(messages.filter(({ content }) => content.includes("How many?"))).toHaveLength(1);
  expect([episode.answer, episode.notes]).toEqual(["judge says 10", undefined]);
});

test("the negative side is told to disagree once", async () => {
  const { chats } = await play(onward);
  const reported = chats.filter(({ messages }) => messages.at(-1)?.content.includes("You disagree"));
  expect(reported.map(({ agent }) => agent)).toEqual(["negative"]);
});

test("a verdict inside other words is repaired once and noted; one that is no JSON goes on, and is noted", async () => {
  const repaired = await play((agent, call) =>
    agent === "moderator" ? `Well: {"answer": 12} so.` : onward(agent, call),
  );
  expect([repaired.chats.length, repaired.episode.answer]).toEqual([3, "The answer is 12."]);
  expect(repaired.episode.notes).toEqual(["moderator-repaired"]);
  const unreadable = await play((agent, call) => (agent === "moderator" ? "{'answer': exit()}" : onward(agent, call)));
  expect([unreadable.chats.length, unreadable.episode.notes]).toEqual([11, Array(3).fill("moderator-unreadable")]);
});
