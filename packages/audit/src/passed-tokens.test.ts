import { expect, test } from "vitest";
import { Findings } from "./findings.ts";
import { comparePassed, trieNodes } from "./passed-tokens.ts";
import type { PolicyFacts } from "./step-facts.ts";

test("a trie's nodes are its prefixes, each once", () => {
  const sequences = [[1, 2, 3], [1, 2, 4, 5], [1, 2], [], [2], [1, 2, 3], [10, 2], [1, 2, 4, 5, 6]];
  const prefixes = new Set(sequences.flatMap((tokens) => tokens.map((_, i) => tokens.slice(0, i + 1).join())));
  expect(trieNodes(sequences)).toBe(prefixes.size);
  expect([trieNodes([]), trieNodes([[7, 8]])]).toEqual([0, 2]);
});

const said = (promptTokens: number[], tokens: number[]) => ({ utterance: { trace: { promptTokens, tokens } } });
// Two optimiser steps: 1 2 3 and 1 2 4 share two of six rows, 1 2 has none to share.
const policy = {
  trained: [said([1, 2], [3, 9]), said([1, 2], [4, 9]), said([1, 2], [9])],
  row: { updates: [{ rows: [0, 1] }, { rows: [2] }] },
} as unknown as PolicyFacts;
const differing = (row: Readonly<Record<string, number>>, prefix = ""): string[] => {
  const findings = new Findings();
  comparePassed(policy, row, prefix, { step: 1 }, findings);
  return findings.differences.map(({ key }) => key);
};
const line = (tokens: number, rows: number, fraction: number, prefix = ""): Record<string, number> => ({
  [`${prefix}actor/tokens_passed`]: tokens,
  [`${prefix}actor/rows_passed`]: rows,
  [`${prefix}actor/shared_token_fraction`]: fraction,
});

test("tokens and the shared fraction follow, rows lie between the nodes and the tokens", () => {
  expect(differing(line(8, 6, 0.25))).toEqual([]);
  expect(differing(line(8, 8, 0))).toEqual([]);
  expect(differing(line(8, 5, 3 / 8))).toEqual(["actor/rows_passed between 6 and 8"]);
  expect(differing(line(8, 9, -1 / 8))).toEqual(["actor/rows_passed between 6 and 8"]);
  expect(differing(line(9, 6, 0.25))).toEqual(["actor/tokens_passed"]);
  expect(differing(line(8, 6, 0.2))).toEqual(["actor/shared_token_fraction"]);
  expect(differing(line(8, 6, 0.2, "policy/first/"), "policy/first/")).toEqual([
    "policy/first/actor/shared_token_fraction",
  ]);
});

test("a line of a version that did not count is let be", () => {
  expect(differing({ "actor/pg_loss": 1 })).toEqual([]);
});
