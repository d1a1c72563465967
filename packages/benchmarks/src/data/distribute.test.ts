import fc from "fast-check";
import { expect, test } from "vitest";
import { distribute, reunite } from "./distribute.ts";

const agents = ["a", "b", "c"];
const problem = (question: string, id = "p") => ({ id, question, gold: "1" });

test("facts are dealt, what is asked is shared, and nothing is lost", () => {
  const question =
    "Tom has $2.50 in a jar. Ann has $3. They spend $1.25 on milk! Bob gives 4 coins. How much is left?\nA) 4\nB) 5";
  const { problem: split, shards } = distribute(problem(question), agents, 1);
  expect(split.question).toBe("How much is left?\nA) 4\nB) 5");
  expect(reunite(shards)).toBe(question);
  const views = Object.values(split.views ?? {});
  expect(views).toHaveLength(3);
  expect(
    views
      .join(" ")
      .split(/(?<=[.!]) /)
      .toSorted(),
  ).toEqual(["Ann has $3.", "Bob gives 4 coins.", "They spend $1.25 on milk!", "Tom has $2.50 in a jar."].toSorted());
});

test("a formula stays whole, even where it ends a sentence", () => {
  const { shards } = distribute(problem("Let $f(x) = 2. x$ be a line. Let $y = \\text{A. B.}$. Find $y$."), agents, 0);
  expect(shards.map(({ text }) => text)).toEqual([
    "Let $f(x) = 2. x$ be a line. ",
    "Let $y = \\text{A. B.}$. ",
    "Find $y$.",
  ]);
});

test("the same seed deals alike, problems and seeds differ", () => {
  const question = "One. Two. Three. Four. Five. Six. What?";
  const views = (seed: number, id: string): unknown => distribute(problem(question, id), agents, seed).problem.views;
  expect(views(1, "p")).toEqual(views(1, "p"));
  const all = [1, 2, 3, 4].flatMap((seed) => ["p", "q"].map((id) => JSON.stringify(views(seed, id))));
  expect(new Set(all).size).toBeGreaterThan(4);
});

test("any text comes back, nobody's fact is another's, and shares differ by one at most", () => {
  const sentence = fc.constantFrom("It has $5. ", "Is it $x.y$? ", "Go! ", "{open. ", "}. ", " \n", "End", "3.5 m. ");
  fc.assert(
    fc.property(
      fc.array(sentence, { maxLength: 12 }),
      fc.integer({ min: 1, max: 4 }),
      fc.nat(),
      (parts, count, seed) => {
        const names = Array.from({ length: count }, (_, i) => `agent-${i}`);
        const question = parts.join("");
        const { shards, problem: split } = distribute(problem(question), names, seed);
        expect(reunite(shards)).toBe(question);
        const held = names.map((name) => shards.filter(({ agent }) => agent === name).length);
        expect(Math.max(...held) - Math.min(...held)).toBeLessThanOrEqual(1);
        expect(Object.keys(split.views ?? {}).every((name) => names.includes(name))).toBe(true);
      },
    ),
    { seed: 1, numRuns: 300 },
  );
});

test("agents must be there, each once", () => {
  for (const bad of [[], ["a", "a"]])
    expect(() => distribute(problem("One. Two?"), bad, 0)).toThrow("expected at least one, each once");
});
