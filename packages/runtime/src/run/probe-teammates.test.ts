import { randomFromSeed, type Episode, type Problem } from "@laconic/core";
import { scriptedModel } from "@laconic/core/testing";
import { answerOf, graphTopology } from "@laconic/topologies";
import { expect, test } from "vitest";
import { answererOf, liesFor, messagesIn, silence, teammatesHeard, withReplacements } from "./probe-families.ts";

const problems = ["red", "blue", "", "blue"].map((word, i): Problem => ({
  id: `${i}`,
  question: `${i}`,
  gold: word,
  views: { first: word, second: "same" },
}));

/** Each says its private view; the reader says what it heard. */
const topology = graphTopology({
  name: "echo",
  rounds: 1,
  agents: [
    ...["first", "second"].map((id) => ({
      id,
      role: id,
      maxTokens: 9,
      prompt: ({ privateView = "" }) => ({ kind: "text" as const, text: privateView }),
    })),
    {
      id: "reader",
      role: "reader",
      maxTokens: 9,
      prompt: ({ inbox }) => ({
        kind: "text" as const,
        text: inbox.flatMap(({ text, silent }) => (silent ? [] : [text])).join(" "),
      }),
    },
  ],
  spatial: ["first", "second"].map((from) => ({ from, to: "reader" })),
  answer: answerOf("reader"),
});
const asked: string[] = [];
const echo = scriptedModel(({ prompt }) => {
  const text = prompt.kind === "text" ? prompt.text : "";
  asked.push(text);
  return { text };
});
const context = {
  models: { first: echo, second: echo, reader: echo },
  sampling: { temperature: 0 },
  random: randomFromSeed(0),
};
const played = (team: typeof topology): Promise<Episode[]> =>
  Promise.all(problems.map((problem) => team.run(problem, context)));
const base = await played(topology);

test("the tool finds the answering agent and the messages that were read", () => {
  expect(answererOf(base)).toBe("reader");
  expect(base.map((episode) => messagesIn(episode, "reader").map(({ text }) => text))).toEqual([
    ["red", "same"],
    ["blue", "same"],
    ["same"],
    ["blue", "same"],
  ]);
  expect(answererOf(base.map((episode) => ({ ...episode, outputs: {} })))).toBeNull();
});

test("a silent teammate costs nothing and has no reader", async () => {
  asked.length = 0;
  const [episode] = await played(withReplacements(topology, ({ id }) => (id === "0" ? [silence("first")] : [])));
  expect(episode?.answer).toBe("same");
  expect(episode?.utterances[0]).toMatchObject({ agent: "first", silent: true, writtenTokens: 0, deliveredTo: [] });
  expect(asked.filter((text) => text === "red")).toEqual([]);
});

test("a lie is what the same teammate said of another problem, and differs from its own words", async () => {
  const heard = teammatesHeard(base, "reader", (messages) => messages[0] as (typeof messages)[number]);
  expect(heard.map((message) => message?.text)).toEqual(["red", "blue", "same", "blue"]);
  const lies = liesFor(heard, base, "reader");
  // The third episode's message is always the same: there is nothing false to say.
  expect(lies.map((lie) => lie?.text)).toEqual(["blue", "red", undefined, "red"]);
  const lying = await played(withReplacements(topology, ({ id }) => [lies[Number(id)] ?? []].flat()));
  expect(lying.map(({ answer }) => answer)).toEqual(["blue same", "red same", "same", "red same"]);
  expect(lying[0]?.ledger.calls[0]?.writtenTokens).toBe(base[1]?.ledger.calls[0]?.writtenTokens);
});

test("a team without readers has no teammate to replace", () => {
  const alone = base.map((episode) => ({
    ...episode,
    utterances: episode.utterances.filter(({ agent }) => agent === "reader"),
  }));
  expect(teammatesHeard(alone, "reader", ([first]) => first as never)).toEqual([null, null, null, null]);
});
