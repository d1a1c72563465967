import { randomFromSeed } from "@laconic/core";
import { episodeSchema } from "@laconic/core/schemas";
import { scriptedModel } from "@laconic/core/testing";
import { expect, test } from "vitest";
import { programTopology, type Program } from "../index.ts";

const prompt = { kind: "text", text: "?" } as const;

async function play(program: Pick<Program, "play">, seed = 0) {
  const model = scriptedModel((_, call) => `reply ${call}`);
  const team = programTopology({
    name: "p",
    agents: ["a"],
    answer: (turns) => turns.at(-1)?.utterance ?? null,
    ...program,
  });
  const episode = await team.run(
    { id: "1", question: "?", gold: "" },
    { models: { a: model }, sampling: { temperature: 0.3 }, random: randomFromSeed(seed) },
  );
  expect(episodeSchema.parse(JSON.parse(JSON.stringify(episode)))).toEqual(episode);
  return { episode, temperatures: model.calls.map(({ sampling }) => sampling.temperature) };
}

test("a line has the episode's temperature unless it has its own", async () => {
  const { temperatures } = await play({
    play: async (stage) => {
      await stage.say({ agent: "a", prompt, maxTokens: 9 });
      await stage.say({ agent: "a", prompt, maxTokens: 9, temperature: 0 });
    },
  });
  expect(temperatures).toEqual([0.3, 0]);
});

test("a program draws from the episode's stream: equal seeds give equal draws", async () => {
  const draws: number[] = [];
  for (const seed of [0, 0, 1]) await play({ play: async ({ random }) => void draws.push(random.uniform()) }, seed);
  expect(draws[1]).toBe(draws[0]);
  expect(draws[2]).not.toBe(draws[0]);
});

test("a program returns the answer or null, and its notes are the episode's", async () => {
  const concluding = (text: string | null): Pick<Program, "play"> => ({
    play: async (stage) => {
      const [turn] = await stage.say({ agent: "a", prompt, maxTokens: 9 });
      stage.note("capped");
      stage.conclude(text === null || !turn ? null : { ...turn.utterance, text });
    },
  });
  expect((await play(concluding("12"))).episode).toMatchObject({
    answer: "12",
    stopReason: "answered",
    notes: ["capped"],
  });
  expect((await play(concluding(null))).episode).toMatchObject({ answer: null, stopReason: "no_answer" });
  const plain = await play({ play: async (stage) => void (await stage.say({ agent: "a", prompt, maxTokens: 9 })) });
  expect(plain.episode.answer).toBe("reply 0");
  expect(plain.episode).not.toHaveProperty("notes");
});
