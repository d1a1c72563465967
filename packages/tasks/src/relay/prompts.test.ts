import * as fc from "fast-check";
import { expect, test } from "vitest";
import { relayHolders } from "./levels.ts";
import { holderPrompt, readRelayPrompt, solverPrompt } from "./prompts.ts";
import { relayTokenizer, spellRelayTokens } from "./tokenizer.ts";

test("prompts read like the task", () => {
  expect(spellRelayTokens(holderPrompt("holder-a", "k6", "k+e"))).toBe("A:k6?k+e>");
  expect(spellRelayTokens(holderPrompt("holder-c", "k6 m3", "k+e"))).toBe("C:k6 m3?k+e>");
  expect(spellRelayTokens(solverPrompt("k+e", ["k6", "", "e is 9"]))).toBe("S:k+e?k6||e is 9>");
});

test("prompts read back exactly, whatever the messages say", () => {
  const text = fc
    .array(fc.constantFrom(..." +019akz".split("")), { maxLength: 12 })
    .map((characters) => characters.join(""));
  fc.assert(
    fc.property(
      fc.constantFrom(...relayHolders),
      text,
      text,
      fc.array(text, { minLength: 1, maxLength: 4 }),
      (agent, facts, question, messages) => {
        expect(readRelayPrompt(holderPrompt(agent, facts, question))).toEqual({ agent, facts, question, messages: [] });
        expect(readRelayPrompt(solverPrompt(question, messages))).toEqual({
          agent: "solver",
          facts: "",
          question,
          messages,
        });
      },
    ),
    { seed: 4 },
  );
});

test("a message cannot pose as another message, a question or a prompt", () => {
  for (const message of ["k6|e9", "k6>", "?k+e", "S:", "k6."])
    expect(() => solverPrompt("k+e", [message, "", ""])).toThrow(expect.objectContaining({ code: "input_invalid" }));
  // What a policy samples as marks is text of length 0 once delivered.
  const sampled = [...relayTokenizer.encode("k6"), 7, ...relayTokenizer.encode("e9"), 8, 0];
  expect(spellRelayTokens(solverPrompt("k+e", [relayTokenizer.decode(sampled), "", ""]))).toBe("S:k+e?k6e9||>");
});

test("an unknown agent and a text that is no prompt are refused", () => {
  expect(() => holderPrompt("holder-z", "k6", "k+e")).toThrow('"holder-z" is no agent');
  for (const tokens of [[], relayTokenizer.encode("k6"), holderPrompt("holder-a", "k6", "k+e").slice(0, -1)])
    expect(() => readRelayPrompt(tokens)).toThrow("is no relay prompt");
});
