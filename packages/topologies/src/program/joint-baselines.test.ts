import { ledgerTotals, randomFromSeed, type Episode, type Problem } from "@laconic/core";
import { criticalPath } from "@laconic/core/ledger";
import { scriptedModel } from "@laconic/core/testing";
import { describe, expect, test } from "vitest";
import { topologyCases } from "../testing/index.ts";
import { jointBaselines, type JointBaseline, type JointWords } from "./joint-baselines.ts";
import type { JointGame } from "./synchronous-turns.ts";

const game: JointGame = {
  players: [
    { id: "first", maxTokens: 8, system: "short" },
    { id: "second", maxTokens: 8, system: "long" },
  ],
  turns: 1,
  transition: ({ question }) => [question, question],
};
const words: JointWords = {
  single: { player: { id: "single", maxTokens: 16, system: "both" }, marker: "###" },
  having: (question, heard, draft) =>
    `${question} | ${heard.map(({ from, text }) => `${from}: ${text}`).join(", ")} | ${draft ?? "no draft"}`,
};
const problem: Problem = { id: "1", question: "q", gold: "" };

async function played(
  method: JointBaseline,
  jointWords: JointWords = words,
  reply = (agent: string, n: number) => `${agent}${n}`,
): Promise<{ episode: Episode; asked: string[] }> {
  const asked: string[] = [];
  const model = (agent: string) => {
    let n = 0;
    return scriptedModel(({ prompt }) => {
      if (prompt.kind === "messages")
        asked.push(`${agent} < ${prompt.messages.map(({ role, content }) => `${role[0]}:${content}`).join(" / ")}`);
      n += 1;
      return { text: reply(agent, n) };
    });
  };
  const models = { first: model("first"), second: model("second"), single: model("single") };
  const context = { models, sampling: { temperature: 1 }, random: randomFromSeed(0) };
  return { episode: await jointBaselines(game, jointWords)[method].run(problem, context), asked };
}

test("concatenation: two agents write at once and read nothing", async () => {
  const { episode, asked } = await played("concatenation");
  expect(asked).toEqual(["first < s:short / u:q", "second < s:long / u:q"]);
  expect(episode.outputs).toEqual({ first: "first1", second: "second1" });
  expect(ledgerTotals(episode.ledger).readTokens).toBe(0);
  expect(episode.utterances.map(({ round }) => round)).toEqual([0, 0]);
});

test("pipeline: the second reads the first", async () => {
  const { episode, asked } = await played("pipeline");
  expect(asked).toEqual(["first < s:short / u:q", "second < s:long / u:q | first: first1 | no draft"]);
  expect(episode.outputs).toEqual({ first: "first1", second: "second1" });
  expect(episode.utterances.map(({ round, deliveredTo }) => [round, deliveredTo])).toEqual([
    [0, ["second"]],
    [1, []],
  ]);
  const { writtenTokens } = ledgerTotals(episode.ledger);
  expect(criticalPath(episode.ledger).writtenTokens).toBe(writtenTokens);
});

test("discussion: all read the others' last texts and write again; the last round counts", async () => {
  const one = await played("discussion-1");
  expect(one.asked.slice(2)).toEqual([
    "first < s:short / u:q / a:first1 / u:q | second: second1 | first1",
    "second < s:long / u:q / a:second1 / u:q | first: first1 | second1",
  ]);
  const { episode, asked } = await played("discussion-2");
  expect(asked).toHaveLength(6);
  expect(asked[4]).toBe(
    "first < s:short / u:q / a:first1 / u:q | second: second1 | first1 / a:first2 / u:q | second: second2 | first2",
  );
  expect(episode.outputs).toEqual({ first: "first3", second: "second3" });
  expect(episode.utterances.map(({ round }) => round)).toEqual([0, 0, 1, 1, 2, 2]);
});

describe("single: one model writes all", () => {
  test.for([
    ["a short one ### a long one", { first: "a short one", second: "a long one" }],
    ["a ### b ### c", { first: "a", second: "b\n\nc" }],
    ["no marker", { first: "no marker" }],
  ] as const)("%s", async ([text, outputs]) => {
    const { episode, asked } = await played("single", words, () => text);
    expect(asked).toEqual(["single < s:both / u:q"]);
    expect(episode.outputs).toEqual(outputs);
    expect(episode.answer).toBe(`${outputs.first}\n\n${"second" in outputs ? outputs.second : ""}`);
  });

  test("without a marker it is asked for part after part", async () => {
    const { episode, asked } = await played("single", { ...words, single: { player: words.single.player } });
    expect(asked).toEqual(["single < s:both / u:q", "single < s:both / u:q / a:single1 / u:q"]);
    expect(episode.outputs).toEqual({ first: "single1", second: "single2" });
  });

  test("silence is no answer", async () => {
    expect((await played("single", words, () => "")).episode.answer).toBeNull();
  });
});

const [there, back] = [
  { from: "first", to: "second" },
  { from: "second", to: "first" },
];
describe.each([
  ["single", []],
  ["concatenation", []],
  ["pipeline", [there]],
  ["discussion-1", [there, back]],
  ["discussion-2", [there, back]],
] as const)("%s", (method, edges) => {
  for (const item of topologyCases)
    test(item.name, () => item.run(() => ({ topology: jointBaselines(game, words)[method], problem, edges })));
});
