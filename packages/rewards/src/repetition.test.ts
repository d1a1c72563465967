import { scriptedEpisode } from "@laconic/core/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { repetition, type RepetitionOptions } from "./index.ts";

const say = (...texts: string[]) => scriptedEpisode(texts.map((text, i) => ({ agent: i === 0 ? "a" : "b", text })));

test.each<[string, Partial<RepetitionOptions>, string[], number]>([
  // no no no no: "no no no" twice, the second is a repetition.
  ["within an utterance", {}, ["no no no no"], 1 / 2],
  ["nothing repeats", {}, ["k is 6 and e is 9"], 0],
  ["too short for an n-gram", {}, ["k 6"], 0],
  ["silence", {}, ["", ""], 0],
  ["words, one by one: k is 6 k is 6 -> 3 of 6", { n: 1 }, ["k is 6 k is 6"], 3 / 6],
  ["case and spacing do not matter", { n: 2 }, ["K is\n 6  k IS 6"], 2 / 5],
  ["nor do spaces at the ends", { n: 1 }, [" k is 6\n"], 0],
  ["other utterances do not matter", { n: 2 }, ["k is 6", "k is 6"], 0],
  ["unless asked: k is, is 6 again, 2 of 4", { n: 2, against: "episode" }, ["k is 6", "k is 6"], 2 / 4],
  ["pooled by n-gram, not by utterance: 2 of 5", { n: 1 }, ["a a a", "b c"], 2 / 5],
  ["only by one agent, against all", { n: 1, against: "episode", by: "b" }, ["x y", "x z"], 1 / 2],
  ["only by one agent, the repeating one not asked", { n: 1, by: "b" }, ["x x x", "x z"], 0],
  ["characters", { n: 2, of: "characters" }, ["ababa"], 2 / 4],
  ["characters are code points, not halves", { n: 1, of: "characters" }, ["😀😁"], 0],
  ["spaces are characters", { n: 1, of: "characters" }, ["a b c"], 1 / 5],
])("%s", (_, options, texts, expected) => {
  const cost = repetition({ n: 3, of: "words", against: "utterance", ...options });
  expect(cost.measure(say(...texts))).toBe(expected);
});

test("the default is the share of 3-grams of words said before in the utterance", () => {
  expect(repetition().unit).toBe("share of 3-grams of words said before in the utterance");
  expect(repetition().measure(say("one two three one two three"))).toBe(1 / 4);
});

test("within one utterance it is 1 - distinct / total, whatever the text", () => {
  const word = fc.constantFrom("a", "b", "ab", "c");
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), fc.integer({ min: 1, max: 4 }), (words, n) => {
      const grams = words.slice(n - 1).map((_, i) => JSON.stringify(words.slice(i, i + n)));
      const expected = grams.length === 0 ? 0 : (grams.length - new Set(grams).size) / grams.length;
      expect(repetition({ n, of: "words", against: "utterance" }).measure(say(words.join(" ")))).toBe(expected);
    }),
    { seed: 2, numRuns: 300 },
  );
});

test.each<[string, unknown]>([
  ["n", { n: 0 }],
  ["n", { n: 1.5 }],
  ["n", { n: NaN }],
  ["of", { of: "sentences" }],
  ["against", { against: "history" }],
])("a bad %s is refused", (key, change) => {
  const options = { n: 3, of: "words", against: "utterance", ...(change as object) } as RepetitionOptions;
  expect(() => repetition(options)).toThrowError(
    expect.objectContaining({ code: "config_invalid", detail: { key: `repetition.${key}` } }),
  );
});
