import fc from "fast-check";
import { expect, test } from "vitest";
import type { BenchmarkProblem } from "./benchmark.ts";
import { distribute, type DistributedProblem, type Shard } from "./distribute.ts";
import { findFiles } from "./open-split.ts";
import { loadSplit } from "./load-split.ts";
import { questionText } from "./question-text.ts";
import { benchmarkNamed } from "./registry.ts";
import { isWithin, wholesOf } from "./sentences.ts";

const reunite = (shards: readonly Shard[]): string => shards.map(({ text }) => text).join("");

const agents = ["a", "b", "c"];
const data = process.env["LACONIC_DATA"];
const problem = (question: string, id = "p") => ({ id, question, gold: "1" });

function dealt<P extends Parameters<typeof distribute>[0]>(given: P, seed: number): DistributedProblem<P> {
  const split = distribute(given, agents, seed);
  if (!split) throw new Error("nothing was dealt");
  return split;
}

test("facts are dealt, what is asked is shared, and nothing is lost", () => {
  const question =
    "Tom has $2.50 in a jar. Ann has $3. They spend $1.25 on milk! Bob gives 4 coins. How much is left?\nA) 4\nB) 5";
  const { problem: split, shards } = dealt(problem(question), 1);
  expect(split.question).toBe("How much is left?\nA) 4\nB) 5");
  expect(reunite(shards)).toBe(question);
  const views = Object.values(split.views);
  expect(views).toHaveLength(3);
  expect(
    views
      .join(" ")
      .split(/(?<=[.!]) /)
      .toSorted(),
  ).toEqual(["Ann has $3.", "Bob gives 4 coins.", "They spend $1.25 on milk!", "Tom has $2.50 in a jar."].toSorted());
});

test("options remain a field and all agents get them with the question", () => {
  const given = { ...problem("Tom has 2 pens. Ann has 3. How many have both?"), choices: ["shaping", "5"] };
  const { problem: split } = dealt(given, 1);
  expect(questionText(split)).toBe("How many have both?\nA) shaping\nB) 5");
});

test("a text with fewer than two facts is not dealt", () => {
  for (const question of [
    "The directed breeding of plants is called",
    "What is 60% of 30%?",
    "Tom has 2. How many?",
    "",
  ])
    expect(distribute(problem(question), agents, 0)).toBeNull();
});

test("the same seed deals alike, problems and seeds differ", () => {
  const question = "One pen. Two pens. Three pens. Four pens. Five pens. Six pens. What?";
  const views = (seed: number, id: string): unknown => dealt(problem(question, id), seed).problem.views;
  expect(views(1, "p")).toEqual(views(1, "p"));
  const all = [1, 2, 3, 4].flatMap((seed) => ["p", "q"].map((id) => JSON.stringify(views(seed, id))));
  expect(new Set(all).size).toBeGreaterThan(4);
});

/** Whatever is dealt: all of it comes back, two holders know something, shares are even, nobody's fact is another's. */
function check({ problem: split, shards }: DistributedProblem<BenchmarkProblem>, names: readonly string[]): void {
  const held = names.map((name) => shards.filter(({ agent }) => agent === name).length);
  expect(Math.max(...held) - Math.min(...held)).toBeLessThanOrEqual(1);
  expect(Object.keys(split.views).toSorted()).toEqual(names.filter((_, i) => (held[i] ?? 0) > 0).toSorted());
  expect(Object.keys(split.views).length).toBeGreaterThanOrEqual(2);
  expect(split.question.trim()).not.toBe("");
  expect(shards.at(-1)?.agent).toBeNull();
}

test("any text can be restored, agents share no fact, and shares differ by one at most", () => {
  const piece = fc.constantFrom(
    "It has $5. ",
    "Is it $x.y$? ",
    "Go! ",
    "{open. ",
    "}. ",
    " \n",
    "End",
    "3.5 m. ",
    "Rs. 7, and 8 pens; ",
    "If 5 go, how many? ",
  );
  const text = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.array(piece, { maxLength: 12 }).map((each) => each.join("")),
  );
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 4 }), fc.nat(), (question, count, seed) => {
      const names = Array.from({ length: count }, (_, i) => `agent-${i}`);
      const split = distribute({ ...problem(question), grading: { kind: "numeric" } } as const, names, seed);
      if (!split) return;
      expect(reunite(split.shards)).toBe(question);
      check(split, names);
    }),
    { seed: 1, numRuns: 500 },
  );
});

test("agents are at least two, each once", () => {
  for (const bad of [[], ["a"], ["a", "a"]])
    expect(() => distribute(problem("One pen. Two pens. How many?"), bad, 0)).toThrow(
      "expected at least two, each once",
    );
});

// Most that may be left out, in per cent: measured 2.7, 2.6, 27.6, 24.4, 73.5, 2.3, 62.6.
test.skipIf(data === undefined).each([
  ["gsm8k", "test", 3],
  ["gsm8k", "train", 3],
  ["aqua", "test", 28],
  ["aqua", "dev", 28],
  ["mmlu", "test", 75],
  ["svamp", "all", 3],
  ["math500", "test", 65],
] as const)("%s %s: every row is dealt or skipped, and can be restored (LACONIC_DATA)", async (...row) => {
  const [name, split, most] = row;
  const benchmark = benchmarkNamed(name);
  const { problems } = await loadSplit(benchmark, split, await findFiles(benchmark, split, data ?? ""));
  let left = 0;
  for (const each of problems) {
    const result = distribute(each, agents, "laconic");
    if (!result) {
      left++;
      continue;
    }
    expect(reunite(result.shards)).toBe(each.question);
    check(result, agents);
    // No cut behind an abbreviation, within a number or a formula.
    const whole = wholesOf(each.question);
    let at = 0;
    for (const { text } of result.shards.slice(0, -1)) {
      at += text.length;
      expect(text).not.toMatch(/(?:^|[\s(])(?:Rs|Dr|Mr|Mrs|No|e\.g|i\.e)\.\s*$/u);
      expect(`${each.question[at - 1]}${each.question[at]}`).not.toMatch(/[\d.:]\d/u);
      expect(isWithin(whole, at)).toBe(false);
    }
    // Whoever asks, asks it of everybody: no option, and no more than the problem's own words.
    expect(each.question.endsWith(result.problem.question)).toBe(true);
  }
  expect((100 * left) / problems.length).toBeLessThan(most);
});
