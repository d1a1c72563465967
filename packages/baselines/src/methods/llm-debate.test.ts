import { expect, test } from "vitest";
import { firstOf, play } from "../../test/play.ts";
import { baselineNamed, type BaselineOptions } from "../index.ts";

async function asked(given: Partial<BaselineOptions>): Promise<string[][]> {
  const team = baselineNamed("debate").create({ reader: firstOf(/\d+/u), answerForm: "", maxTokens: 50, ...given });
  const { calls } = await play(team, (_, call) => `reply-${call}`);
  return calls.map(({ messages }) => messages.map(({ content }) => content));
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
