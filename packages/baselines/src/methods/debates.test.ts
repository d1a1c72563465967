import { expect, test } from "vitest";
import { firstOf, play as playTeam } from "../../test/play.ts";
import { baselineNamed, type BaselineOptions, type Script } from "../index.ts";

const options = {
  reader: firstOf(/\d+/u),
  answerForm: "End with the number.",
  maxTokens: 50,
  family: "maths",
} as const;

async function play(answer: (agent: string, call: number) => string, script?: Script) {
  const team = baselineNamed("mad").create({ ...options, ...(script && { script }) });
  const { calls, episode } = await playTeam(team, ({ agent }, call) => answer(agent, call));
  return { chats: calls, episode };
}

const onward = (agent: string, call: number): string =>
  agent === "moderator" ? `{"preference": "none", "answer": ""}` : `${agent} says ${call}`;

test("each agent remembers its own turns and reads the other side's last message", async () => {
  const { chats, episode } = await play(onward);
  expect(chats.map(({ agent }) => agent)).toEqual([
    ...Array.from({ length: 3 }, () => ["affirmative", "negative", "moderator"]).flat(),
    "judge",
    "judge",
  ]);
  const last = (agent: string) => chats.findLast((chat) => chat.agent === agent)?.messages ?? [];
  const affirmative = last("affirmative");
  expect(affirmative.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user", "assistant", "user"]);
  const own = (agent: string) => last(agent).flatMap(({ role, content }) => (role === "assistant" ? [content] : []));
  expect(own("affirmative")).toEqual(["affirmative says 0", "affirmative says 3"]);
  expect(affirmative.at(-1)?.content).toContain("> negative says 4");
  expect(affirmative.at(-1)?.content).not.toContain("negative says 1");
  expect(own("negative")).toEqual(["negative says 1", "negative says 4"]);
  expect(last("moderator").map(({ role }) => role)).toEqual(affirmative.map(({ role }) => role));
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

test("the negative side gets the order to disagree once", async () => {
  const { chats } = await play(onward);
  const reported = chats.filter(({ messages }) => messages.at(-1)?.content.includes("You disagree"));
  expect(reported.map(({ agent }) => agent)).toEqual(["negative"]);
});

test("a verdict inside other text is repaired once and noted; a verdict without JSON is only noted", async () => {
  const repaired = await play((agent, call) =>
    agent === "moderator" ? `Well: {"answer": 12} so.` : onward(agent, call),
  );
  expect([repaired.chats.length, repaired.episode.answer]).toEqual([3, "The answer is 12."]);
  expect(repaired.episode.notes).toEqual(["moderator-repaired"]);
  const unreadable = await play((agent, call) => (agent === "moderator" ? "{'answer': exit()}" : onward(agent, call)));
  expect([unreadable.chats.length, unreadable.episode.notes]).toEqual([11, Array(3).fill("moderator-unreadable")]);
});

test("released words: the topic in every system message, replies whole, verdict and choice in the released key", async () => {
  const texts = {
    player: "P ##debate_topic##",
    moderator: "M ##debate_topic##",
    affirmative: "A ##debate_topic##",
    negative: "N ##aff_ans##",
    debate: "D ##oppo_ans##",
    moderate: "R ##round##: ##aff_ans## / ##neg_ans##",
    candidates: "C ##aff_ans## / ##neg_ans##",
    choose: "J ##debate_topic##",
  };
  const { chats, episode } = await play(
    (agent, call) => {
      if (agent === "moderator") return '{"answer": "3", "debate_answer": ""}';
      return agent === "judge" ? '{"Reason": "so", "debate_answer": "7"}' : `##aff_ans## ${call}`;
    },
    { name: "mad", examples: 0, texts, sha256: "" },
  );
  expect(chats.map(({ messages }) => messages[0]?.content)).toEqual([
    ...Array.from({ length: 3 }, () => ["P How many?", "P How many?", "M How many?"]).flat(),
    "M How many?",
    "M How many?",
  ]);
  // A mark inside a reply is a reply's.
  expect(chats.map(({ messages }) => messages.at(-1)?.content)).toEqual([
    "A How many?",
    "N ##aff_ans## 0",
    "R first: ##aff_ans## 0 / ##aff_ans## 1",
    "D ##aff_ans## 1",
    "D ##aff_ans## 3",
    "R second: ##aff_ans## 3 / ##aff_ans## 4",
    "D ##aff_ans## 4",
    "D ##aff_ans## 6",
    "R third: ##aff_ans## 6 / ##aff_ans## 7",
    "C ##aff_ans## 0 / ##aff_ans## 1",
    "J How many?",
  ]);
  expect(episode.answer).toBe("The answer is 7.");
});

async function asked(input: Partial<BaselineOptions>): Promise<string[][]> {
  const { calls } = await playTeam(
    baselineNamed("debate").create({ ...options, ...input }),
    (_, call) => `reply-${call}`,
  );
  return calls.map(({ messages }) => messages.map(({ content }) => content));
}

const holding = (chat: readonly string[] = []): number => chat.filter((text) => text.includes("How many?")).length;

test("a later round repeats a maths question, and no choice question", async () => {
  const [maths, choice] = [await asked({ family: "maths" }), await asked({ family: "choice" })];
  expect([maths.map(holding), choice.map(holding)]).toEqual([
    [1, 1, 1, 2, 2, 2],
    [1, 1, 1, 1, 1, 1],
  ]);
});

test("arithmetic: two debaters exchange whole messages for three rounds in separate chats", async () => {
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
