import * as fc from "fast-check";
import { expect, test } from "vitest";
import { relayHolders, relaySolver } from "./levels.ts";
import { relayMarks, relayTokenizer, spellRelayTokens } from "./tokenizer.ts";

const alphabet = " +0123456789abcdefghijklmnopqrstuvwxyz".split("");
const texts = fc.array(fc.constantFrom(...alphabet), { maxLength: 40 }).map((characters) => characters.join(""));
const tokens = fc.array(fc.nat(relayTokenizer.vocabularySize - 1), { maxLength: 40 });

test("the vocabulary is nine marks and the alphabet, and ends with the mark shown as a full stop", () => {
  expect(relayTokenizer.vocabularySize).toBe(9 + 38);
  expect(relayTokenizer.encode(alphabet.join(""))).toEqual(alphabet.map((_, index) => 9 + index));
  expect(spellRelayTokens([relayTokenizer.endToken])).toBe(".");
});

test("marks are shown as they are meant", () => {
  const { role, question, next, reply } = relayMarks;
  expect(Object.keys(role)).toEqual([...relayHolders, relaySolver]);
  expect(spellRelayTokens([...Object.values(role), question, next, reply])).toBe("A:B:C:D:S:?|>");
});

test("text survives a round trip, one token per character", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const encoded = relayTokenizer.encode(text);
      expect(encoded).toHaveLength(text.length);
      expect(relayTokenizer.decode(encoded)).toBe(text);
      expect(spellRelayTokens(encoded)).toBe(text);
    }),
    { seed: 1 },
  );
});

test("sampled marks vanish from the text, whatever a policy samples", () => {
  fc.assert(
    fc.property(tokens, (sampled) => {
      const text = relayTokenizer.decode(sampled);
      expect(relayTokenizer.encode(text)).toEqual(sampled.filter((token) => token >= 9));
    }),
    { seed: 2 },
  );
});

test.each([".", "?", "|", ">", ":", "A", "-", "\n", "é"])("%j cannot be spelled and is named", (character) => {
  expect(() => relayTokenizer.encode(`k6${character}`)).toThrow(
    expect.objectContaining({ code: "input_invalid", detail: { character, position: 2 } }),
  );
});

test.each([-1, 47, 1.5])("%s is no token", (token) => {
  expect(() => relayTokenizer.decode([token])).toThrow(
    expect.objectContaining({ code: "input_invalid", detail: { token } }),
  );
});
