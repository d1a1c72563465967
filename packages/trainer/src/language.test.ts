import { type Episode, type Sampler, type Utterance, ragged } from "@laconic/core";
import { expect, test } from "vitest";
import { languageOf, saidTexts } from "./language.ts";

function said(
  agent: string,
  text: string,
  tokens: readonly number[],
  finishReason: Utterance["finishReason"],
): Utterance {
  return {
    agent,
    text,
    finishReason,
    turn: 0,
    round: 0,
    prompt: "",
    silent: text === "",
    writtenTokens: tokens.length,
    deliveredTo: [],
    model: { id: "m", weightVersion: 0 },
    trace: { promptTokens: [0], tokens, logProbs: tokens.map(() => -9) },
  };
}
const episode = (...utterances: Utterance[]): Episode => ({
  problemId: "p",
  topology: "t",
  utterances,
  answer: null,
  stopReason: "answered",
  ledger: { calls: [] },
});

/** The token's number is its -log π. */
const seen: unknown[] = [];
const reference = {
  forward: async (sequences: Parameters<Sampler["forward"]>[0]) => {
    seen.push(...sequences);
    const logProbs = ragged(sequences.map(({ completionTokens }) => completionTokens.map((token) => -token)));
    return { logProbs, entropy: logProbs };
  },
} as unknown as Sampler;
const policies = { policy: { model: reference, speak: () => undefined, agents: ["a", "b"] } } as never;

const episodes = [
  episode(said("a", "one day one day", [2, 4, 9], "stop"), said("b", "", [7], "stop"), said("c", "x", [1], "stop")),
  episode(said("a", "One", [6], "length"), said("b", "", [7], "stop")),
];

test("perplexity covers tokens without and with the end, under the initial policy at the sampling temperature", async () => {
  const texts = await saidTexts({ policies }, { policy: reference }, episodes, 0.5);
  expect(seen).toEqual([
    { promptTokens: [0], completionTokens: [2, 4, 9], temperature: 0.5 },
    { promptTokens: [0], completionTokens: [6], temperature: 0.5 },
  ]);
  const language = languageOf(episodes, texts);
  expect(Object.keys(language)).toEqual(["a", "b"]);
  expect(language["a"]?.perplexity).toBeCloseTo(Math.exp((2 + 4 + 6) / 3), 10);
  expect(language["a"]?.perplexityWithEnd).toBeCloseTo(Math.exp((2 + 4 + 9 + 6) / 4), 10);
  // Pairs: one-day, day-one, one-day; words: one day one day one.
  expect(language["a"]?.repetition).toBeCloseTo(1 / 3, 12);
  expect(language["a"]?.vocabulary).toBe(2 / 5);
  expect(language["b"]).toEqual({
    perplexity: 0,
    perplexityWithEnd: 0,
    repetition: 0,
    vocabulary: 0,
    templateEntropy: 0,
    commonestTemplate: 0,
  });
  expect(languageOf(episodes.slice(1), texts)["a"]?.perplexity).toBeCloseTo(Math.exp(6), 10);
});

test("names that were read and copied spans are blanks of a template; other tokens are not", async () => {
  const story = "Once upon a time, Lily was in the park with Tom. The sun was bright.";
  const speak = (text: string): Utterance => ({ ...said("a", text, [1, 2, 3], "stop"), prompt: story });
  const of = async (...texts: string[]): Promise<unknown> => {
    const played = texts.map((text) => episode(speak(text)));
    const { a } = languageOf(played, await saidTexts({ policies }, { policy: reference }, played, 1));
    return [a?.templateEntropy, a?.commonestTemplate];
  };
  // "_ was" occurs twice, with any name; an unlisted name counts as a word.
  expect(await of("Lily was", "Tom was")).toEqual([0, 1]);
  expect(await of("Lily was", "Max was")).toEqual([1, 0.5]);
  // A single name or a copied text is no template; two words are no copy.
  expect(await of("in the park", "the sun was bright", "Lily")).toEqual([0, 0]);
  expect(await of("Lily", "Tom", "Lily was")).toEqual([0, 1]);
  expect(await of("the park", "the sun")).toEqual([1, 0.5]);
  expect(await of("Lily had it", "Tom had it", "Lily took it", "it was Tom")).toEqual([1.5, 0.5]);
});

test("no language is measured without the initial policies", async () => {
  expect((await saidTexts({ policies }, {}, episodes, 1)).size).toBe(0);
});
