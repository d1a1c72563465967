import type { Utterance } from "@laconic/core";
import { scriptedEpisode } from "@laconic/core/testing";
import { expect, test } from "vitest";
import { hardCap, truncatedShare } from "./index.ts";

const { ledger } = scriptedEpisode([
  { agent: "a", text: "xxx" }, // 4 tokens with its end token
  { agent: "b", text: "" }, // 1
  { agent: "a", text: "xx" }, // 3
]);

test.each([
  [{ maxTokensPerEpisode: 20 }, "a", { kind: "open", remainingTokens: 12 }],
  [{ maxTokensPerEpisode: 9 }, "c", { kind: "open", remainingTokens: 1 }],
  [{ maxTokensPerEpisode: 8 }, "b", { kind: "spent", limit: "episode" }],
  [{ maxTokensPerEpisode: 5 }, "b", { kind: "spent", limit: "episode" }],
  [{ maxTokensPerAgent: 10 }, "a", { kind: "open", remainingTokens: 3 }],
  [{ maxTokensPerAgent: 7 }, "a", { kind: "spent", limit: "agent" }],
  [{ maxTokensPerAgent: 1 }, "c", { kind: "open", remainingTokens: 1 }],
  [{ maxTokensPerAgent: 7 }, "b", { kind: "open", remainingTokens: 6 }],
  [{ maxTokensPerEpisode: 20, maxTokensPerAgent: 10 }, "a", { kind: "open", remainingTokens: 3 }],
  [{ maxTokensPerEpisode: 12, maxTokensPerAgent: 10 }, "b", { kind: "open", remainingTokens: 4 }],
])("reads %j: agent %s gets %j", (options, agent, expected) => {
  expect(hardCap(options).allowance(ledger, agent)).toEqual(expected);
});

test("nothing written leaves everything", () => {
  expect(hardCap({ maxTokensPerEpisode: 5 }).allowance({ calls: [] }, "a")).toEqual({
    kind: "open",
    remainingTokens: 5,
  });
});

test.each([
  ["maxTokensPerEpisode", {}],
  ["maxTokensPerEpisode", { maxTokensPerEpisode: 0 }],
  ["maxTokensPerEpisode", { maxTokensPerEpisode: NaN }],
  ["maxTokensPerAgent", { maxTokensPerAgent: 2.5 }],
  ["maxTokensPerAgent", { maxTokensPerEpisode: 10, maxTokensPerAgent: 10 }],
])("%s is refused: %j", (key, options) => {
  expect(() => hardCap(options)).toFailWith("config_invalid", { key: `hardCap.${key}` });
});

test("an episode is truncated by a token limit or by an utterance cut off", () => {
  const whole = scriptedEpisode(["x", "y"].map((text) => ({ agent: "a", text })));
  const [first, last] = whole.utterances as [Utterance, Utterance];
  const cut = { ...whole, utterances: [{ ...first, finishReason: "length" as const }, last] };
  const limited = { ...whole, stopReason: "token_limit" as const };
  const answerCut = { ...whole, stopReason: "truncated" as const };
  expect(truncatedShare([whole, cut, limited, answerCut])).toBe(0.75);
  expect(truncatedShare([whole, { ...whole, stopReason: "turn_limit" }])).toBe(0);
  expect(truncatedShare([])).toBe(0);
});
