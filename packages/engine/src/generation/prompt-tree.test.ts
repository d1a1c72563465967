import fc from "fast-check";
import { expect, test } from "vitest";
import { promptTree, type PromptNode } from "./prompt-tree.ts";

function spell(nodes: readonly PromptNode[], prefix: readonly number[] = []): Map<number, number[]> {
  const match = new Map<number, number[]>();
  for (const node of nodes) {
    const tokens = [...prefix, ...node.tokens];
    for (const row of node.ends) match.set(row, tokens);
    for (const [row, spelled] of spell(node.children, tokens)) match.set(row, spelled);
  }
  return match;
}

test("the tree spells every prompt, whatever they share", () => {
  const prompt = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(
      fc.array(prompt, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 4 }),
      (prompts, minShared) => {
        const spelled = spell(promptTree(prompts, minShared));
        expect([...spelled.keys()].toSorted((a, b) => a - b)).toEqual(prompts.map((_, row) => row));
        prompts.forEach((tokens, row) => expect(spelled.get(row)).toEqual(tokens));
      },
    ),
    { seed: 1, numRuns: 300 },
  );
});

test("identical prompts are one node, a long shared prefix another", () => {
  expect(
    promptTree(
      [
        [1, 2, 3, 4],
        [1, 2, 3, 5],
        [1, 2, 3, 4],
      ],
      3,
    ),
  ).toEqual([
    {
      tokens: [1, 2, 3],
      past: 0,
      row: 0,
      ends: [],
      children: [
        { tokens: [4], past: 3, row: 0, children: [], ends: [0, 2] },
        { tokens: [5], past: 3, row: 1, children: [], ends: [1] },
      ],
    },
  ]);
});

test("a prefix shorter than the least worth sharing is not split off", () => {
  expect(
    promptTree(
      [
        [1, 2],
        [1, 3],
      ],
      2,
    ),
  ).toHaveLength(2);
  expect(promptTree([[1], [1, 3]], 2)).toHaveLength(2);
});
