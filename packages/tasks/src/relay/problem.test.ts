import { randomFromSeed, type Problem } from "@laconic/core";
import { problemSchema } from "@laconic/core/schemas";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { holdersOf, relayLevels } from "./levels.ts";
import { askedKeys, generateRelayProblem, parseFacts, relaySplit } from "./problem.ts";

const seeds = fc.string();

describe.each(Object.values(relayLevels))("$name", (level) => {
  const draw = (seed: string): Problem => generateRelayProblem(level, randomFromSeed(seed));

  test("every holder has its facts, all keys differ, and the gold answer is the sum of two holders' values", () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const problem = draw(seed);
        expect(problemSchema.parse(problem)).toEqual(problem);
        expect(Object.keys(problem.views ?? {})).toEqual(holdersOf(level));
        const hands = Object.values(problem.views ?? {}).map(parseFacts);
        expect(hands.map((hand) => hand.length)).toEqual(hands.map(() => level.factsPerHolder));
        const facts = hands.flat();
        expect(new Set(facts.map(({ key }) => key)).size).toBe(level.holders * level.factsPerHolder);

        const asked = askedKeys(problem.question);
        const values = asked.map((key) => facts.find((fact) => fact.key === key)?.value ?? Number.NaN);
        expect(problem.gold).toBe(String(values.reduce((a, b) => a + b)));
        const silent = hands.filter((hand) => !hand.some(({ key }) => asked.includes(key)));
        expect(silent).toHaveLength(level.holders - 2);
      }),
      { seed: 3 },
    );
  });

  test("the same stream gives the same problem, and the id is its content", () => {
    const problems = Array.from({ length: 500 }, (_, i) => draw(`${i}`));
    expect(draw("7")).toEqual(problems[7]);
    const contents = new Set(problems.map(({ views, question }) => JSON.stringify([views, question])));
    expect(new Set(problems.map(({ id }) => id)).size).toBe(contents.size);
  });

  test("about one problem in eight is kept for validation and test, and each split draws only its own", () => {
    const random = randomFromSeed("split");
    for (const split of ["train", "evaluation"] as const)
      for (let i = 0; i < 200; i++) expect(relaySplit(generateRelayProblem(level, random, split))).toBe(split);
  });
});

test("problems stay what they are from version to version", () => {
  const drawn = Object.values(relayLevels).map((level) => generateRelayProblem(level, randomFromSeed("golden")));
  expect(drawn.map(({ id, gold }) => `${id} = ${gold}`)).toMatchInlineSnapshot(`
    [
      "relay:d4|b2|u3?b+u = 5",
      "relay:d4 b2|u3 v0|r1 i8?v+d = 4",
      "relay:i0 w3|f2 k1|s9 l1|g3 c3?c+k = 4",
    ]
  `);
});

test("rearranging a problem keeps it in its split", () => {
  const random = randomFromSeed("rearranged");
  for (let i = 0; i < 200; i++) {
    const split = i % 2 === 0 ? "train" : "evaluation";
    const problem = generateRelayProblem(relayLevels["two-facts"], random, split);
    const views = random.shuffle(
      Object.values(problem.views ?? {}).map((view) => view.split(" ").toReversed().join(" ")),
    );
    const question = problem.question.split("+").toReversed().join("+");
    expect(relaySplit({ ...problem, question, views: Object.fromEntries(views.entries()) })).toBe(split);
  }
});

test("the test share is one in eight", () => {
  const letters = "abcdefghijklmnopqrstuvwxyz".split("");
  const pairs = letters.flatMap((first, at) => letters.slice(at + 1).map((second) => [first, second] as const));
  const splits = pairs.flatMap(([first, second]) =>
    Array.from({ length: 10 }, (_, value) => {
      const views = { x: `${first}${value}`, y: `${second}3` };
      return relaySplit({ id: "", gold: "", question: `${first}+${second}`, views });
    }),
  );
  expect(splits).toHaveLength(3250);
  const share = splits.filter((split) => split === "evaluation").length / splits.length;
  expect(share).toBeGreaterThan(0.105); // 3.5 standard errors around 0.125
  expect(share).toBeLessThan(0.145);
});
