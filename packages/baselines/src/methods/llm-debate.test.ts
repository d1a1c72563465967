import { randomFromSeed, type CompletionRequest } from "@laconic/core";
import { scriptedModel } from "@laconic/core/testing";
import { expect, test } from "vitest";
import { baselineNamed, type BaselineOptions } from "../index.ts";

const reader = { read: (reply: string) => /\d+/u.exec(reply)?.[0] ?? null, same: (a: string, b: string) => a === b };

async function asked(given: Partial<BaselineOptions>): Promise<string[][]> {
  const team = baselineNamed("debate").create({ reader, answerForm: "", maxTokens: 50, ...given });
  const chats: string[][] = [];
  const model = scriptedModel(({ prompt }: CompletionRequest, call) => {
    if (prompt.kind === "messages") chats.push(prompt.messages.map(({ content }) => content));
    return `reply-${call}`;
  });
  const models = Object.fromEntries(team.agents.map((agent) => [agent, model]));
  const problem = { id: "1", question: "How many?", gold: "" };
  await team.run(problem, { models, sampling: { temperature: 1 }, random: randomFromSeed(0) });
  return chats;
}

const holding = (chat: readonly string[] = []): number => chat.filter((each) => each.includes("How many?")).length;

test("a later round of maths repeats the question; one of choices does not", async () => {
  const [maths, choice] = [await asked({ family: "maths" }), await asked({ family: "choice" })];
  expect([maths.map(holding), choice.map(holding)]).toEqual([
    [1, 1, 1, 2, 2, 2],
    [1, 1, 1, 1, 1, 1],
  ]);
});

test("arithmetic: two debaters, three rounds, whole messages of the other in its own chat", async () => {
  const chats = await asked({ family: "maths", agents: 2, rounds: 3 });
  expect(chats).toHaveLength(6);
  const last = chats[5]?.join("\n") ?? "";
  // Its own of two rounds, and the other's of two rounds; nothing of its own round.
  expect(last.match(/reply-\d/gu)).toEqual(["reply-1", "reply-0", "reply-3", "reply-2"]);
  expect(baselineNamed("debate").maxCopies?.({ family: "maths", agents: 2, rounds: 3 })).toEqual({
    questions: 12,
    examples: 6,
    replies: 12,
  });
});
