import { randomFromSeed } from "@laconic/core";
import { expect, test } from "vitest";
import { isWanted } from "./admission.ts";

const of = (byGroup: Readonly<Record<string, number>>, ungrouped = 0) => ({
  byGroup: new Map(Object.entries(byGroup)),
  ungrouped,
});

test.each([
  ["the first of all", null, of({}), true],
  ["a group beside another", "b", of({ a: 1 }), true],
  ["a third group", "c", of({ a: 1, b: 1 }), false],
  ["what a group lacks, though the window is full", "a", of({ a: 3, b: 1 }), true],
  ["a second lot of a complete group", "a", of({ a: 4 }), true],
  ["a second lot where the window is full", "a", of({ a: 4, b: 4 }), false],
  ["what the second lot lacks", "a", of({ a: 5, b: 1 }), true],
  ["what two groups lack, by an unknown one", null, of({ a: 3, b: 3 }, 1), true],
  ["one more than two groups lack", null, of({ a: 3, b: 3 }, 2), false],
  ["what the two fullest of three lack", null, of({ a: 3, b: 3, c: 1 }, 1), true],
  ["no more than the two fullest of three lack", null, of({ a: 3, b: 3, c: 1 }, 2), false],
  ["a group beside unknown ones that may be all of one", "a", of({}, 4), true],
  ["a group beside unknown ones that are of two at least", "a", of({}, 5), false],
] as const)("takes two groups of four: %s", (_, group, untrained, wanted) => {
  expect(isWanted(group, untrained, { groups: 2, rolloutsPerGroup: 4 })).toBe(wanted);
});

test("the next steps can be filled in any state, and known groups never exceed a window", () => {
  const random = randomFromSeed("admission");
  for (let trial = 0; trial < 200; trial++) {
    const window = { groups: 1 + random.integer(4), rolloutsPerGroup: 1 + random.integer(4) };
    const registry = random.uniform() < 0.5;
    const byGroup = new Map<string, number>();
    let unknown: string[] = [];
    const complete = () =>
      [...byGroup.values()].reduce((sum, members) => sum + Math.floor(members / window.rolloutsPerGroup), 0);
    for (let refused = 0; complete() < window.groups && refused < 1000;) {
      const name = `g${random.integer(12)}`;
      const add = (group: string): unknown => byGroup.set(group, (byGroup.get(group) ?? 0) + 1);
      if (isWanted(registry ? name : null, { byGroup, ungrouped: unknown.length }, window)) {
        if (registry) add(name);
        else unknown.push(name);
      } else {
        refused += 1;
        // Nobody else may begin: those that are open end, and say what group they are of.
        unknown.forEach(add);
        unknown = [];
      }
    }
    expect(complete()).toBe(window.groups);
    expect(registry ? byGroup.size : 0).toBeLessThanOrEqual(window.groups);
  }
});
