import { scriptedEpisode } from "@laconic/core/testing";
import { expect, test } from "vitest";
import { overlong } from "./index.ts";

const writes = (...lengths: number[]) =>
  scriptedEpisode(lengths.map((writtenTokens, i) => ({ agent: `agent-${i}`, text: "x", writtenTokens })));

test.each([
  [0, 0],
  [16384, 0],
  [16385, 1 / 4096],
  [18432, 0.5],
  [20480, 1],
  [20481, 1],
  [1e6, 1],
])("DAPO's lengths: %i tokens cost %f", (tokens, expected) => {
  expect(overlong({ maxTokens: 20480, margin: 4096 }).measure(writes(tokens))).toBe(expected);
});

test("utterances add up, each on its own", () => {
  const cost = overlong({ maxTokens: 10, margin: 4 });
  expect(cost.measure(writes(6, 8, 10, 12))).toBe(0 + 0.5 + 1 + 1);
  const own = overlong({ maxTokens: 10, margin: 4, by: "agent-1" });
  expect([own.measure(writes(6, 8, 10)), own.scope, cost.scope]).toEqual([0.5, { by: "agent-1" }, {}]);
  expect(overlong({ maxTokens: 1, margin: 1 }).measure(writes(1, 0))).toBe(1);
});

test.each([
  ["maxTokens", { maxTokens: 0, margin: 1 }],
  ["maxTokens", { maxTokens: NaN, margin: 1 }],
  ["margin", { maxTokens: 10, margin: 0 }],
  ["margin", { maxTokens: 10, margin: 11 }],
  ["margin", { maxTokens: 10, margin: 2.5 }],
])("a bad %s is refused", (key, options) => {
  expect(() => overlong(options)).toThrowError(
    expect.objectContaining({ code: "config_invalid", detail: { key: `overlong.${key}` } }),
  );
});
