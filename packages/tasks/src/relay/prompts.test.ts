import { LaconicError } from "@laconic/core";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { relayHolders, relaySolver } from "./problem.ts";
import {
  holderPrompt,
  readRelayPrompt,
  relayHolderPrompt,
  relaySolverPrompt,
  renderTokens,
  solverPrompt,
} from "./prompts.ts";
import { relayMarks, relayTokenizer, spellRelayTokens } from "./tokenizer.ts";

const alphabet = " +0123456789abcdefghijklmnopqrstuvwxyz".split("");
const texts = fc.array(fc.constantFrom(...alphabet), { maxLength: 40 }).map((characters) => characters.join(""));
const invalid = expect.objectContaining({ code: "input_invalid" });

test("the vocabulary is nine marks and the alphabet; transcripts show marks", () => {
  const { role, question, next, reply } = relayMarks;
  expect(relayTokenizer.vocabularySize).toBe(9 + 38);
  expect(relayTokenizer.encode(alphabet.join(""))).toEqual(alphabet.map((_, index) => 9 + index));
  expect(Object.keys(role)).toEqual([...relayHolders, relaySolver]);
  expect(spellRelayTokens([...Object.values(role), question, next, reply, relayTokenizer.endToken])).toBe(
    "A:B:C:D:S:?|>.",
  );
});

test("text survives a round trip, one token per character", () => {
  fc.assert(
    fc.property(texts, (text) => {
      const encoded = relayTokenizer.encode(text);
      expect([encoded.length, relayTokenizer.decode(encoded), spellRelayTokens(encoded)]).toEqual([
        text.length,
        text,
        text,
      ]);
    }),
    { seed: 1 },
  );
});

test("sampled marks vanish from the text, whatever a policy samples", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(relayTokenizer.vocabularySize - 1), { maxLength: 40 }), (sampled) => {
      const text = relayTokenizer.decode(sampled);
      expect(relayTokenizer.encode(text)).toEqual(sampled.filter((token) => token >= 9));
    }),
    { seed: 2 },
  );
});

test.each([".", "?", "|", ">", ":", "A", "-", "\n", "é"])("the vocabulary lacks %j", (character) => {
  expect(() => relayTokenizer.encode(`k6${character}`)).toFailWith("input_invalid", { character, position: 2 });
});

test.each([-1, 47, 1.5])("%s is no token", (token) => {
  expect(() => relayTokenizer.decode([token])).toFailWith("input_invalid", { token });
});

test("prompts read back exactly, whatever the messages say", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...relayHolders),
      texts,
      texts,
      fc.array(texts, { minLength: 1, maxLength: 4 }),
      (agent, facts, question, messages) => {
        expect(readRelayPrompt(holderPrompt(agent, facts, question))).toEqual({ agent, facts, question, messages: [] });
        const solver = { agent: "solver", facts: "", question, messages };
        expect(readRelayPrompt(solverPrompt(question, messages))).toEqual(solver);
      },
    ),
    { seed: 4 },
  );
});

test("a message cannot pose as another message, a question or a prompt", () => {
  for (const message of ["k6|e9", "k6>", "?k+e", "S:", "k6."])
    expect(() => solverPrompt("k+e", [message, "", ""])).toThrow(invalid);
  // Sampled marks have no text.
  const sampled = [...relayTokenizer.encode("k6"), 7, ...relayTokenizer.encode("e9"), 8, 0];
  expect(spellRelayTokens(solverPrompt("k+e", [relayTokenizer.decode(sampled), "", ""]))).toBe("S:k+e?k6e9||>");
});

test("an unknown agent and tokens that are no prompt are refused", () => {
  expect(() => holderPrompt("holder-z", "k6", "k+e")).toThrow('"holder-z" is not an agent');
  for (const tokens of [[], [1], relayTokenizer.encode("k6"), holderPrompt("holder-a", "k6", "k+e").slice(0, -1)])
    expect(() => readRelayPrompt(tokens)).toThrow("is not a relay prompt");
});

const message = (text: string) => ({ from: "north", turn: 0, round: 0, tokens: 1, text, silent: text === "" });

test.each([
  [relayHolderPrompt({ question: "k+e", privateView: "k6 m3" }), "A:k6 m3?k+e>"],
  [relayHolderPrompt({ question: "k+e" }, 3), "D:?k+e>"],
  [relaySolverPrompt({ question: "k+e", inbox: [message("k is 6"), message("")] }), "S:k+e?k is 6|>"],
  [relaySolverPrompt({ question: "k+e", inbox: [message("k6")], privateView: "e9" }), "S:k+e?k6|e9>"],
])("custom agents are asked as the relay's are", (prompt, text) => expect(renderTokens(prompt)).toBe(text));

test.each([
  () => relayHolderPrompt({ question: "k+e" }, 4),
  () => relayHolderPrompt({ question: "K?" }),
  () => relaySolverPrompt({ question: "k", inbox: [message("é")] }),
])("a prompt that the policy has not learned is refused", (make) => {
  expect(make).toThrow(LaconicError);
  expect(make).toThrow(invalid);
});
