import { ledgerTotals, randomFromSeed, type Problem } from "@laconic/core";
import { problemSchema } from "@laconic/core/schemas";
import { topologyCases } from "@laconic/topologies/testing";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { askedKeys, generateRelayProblem, holdersOf, letters, parseFacts, relayContent } from "./problem.ts";
import { relayLevels, relaySplit } from "./problem.ts";
import { extractRelayAnswer, relayEpisode, relayGrader, relayTask, relayTopology } from "./task.ts";
import { relayTeacher } from "./teacher.ts";
import rows from "./task.cases.json" with { type: "json" };

const asked: Problem = { id: "p", question: "k+e", gold: "15" };
const terse = { verbose: 0, short: 0, terse: 1 };
const terseTeacher = relayTeacher({ messages: terse, answers: terse, silence: 1 });

test.each(["15", "it is 15", "the answer is 15", " 15 ", "15 it is"])("%j is right", (reply) => {
  expect(relayGrader(reply, asked)).toBe(1);
});

test.each(rows)("%s is wrong", (_, reply) => {
  expect(relayGrader(reply, asked)).toBe(0);
});

test("zero is an answer, and no reply is right for two problems", () => {
  expect(relayGrader("0", { ...asked, gold: "0" })).toBe(1);
  const sums = Array.from({ length: 19 }, (_, sum) => String(sum));
  for (const reply of [...sums, "15 16", "the answer is 7", sums.join(" "), sums.join("")])
    expect(sums.filter((gold) => relayGrader(reply, { ...asked, gold }) === 1).length).toBeLessThanOrEqual(1);
  expect(extractRelayAnswer("it is 7")).toBe("7");
});

describe.each(Object.values(relayLevels))("$name", (level) => {
  const draw = (seed: string): Problem => generateRelayProblem(level, randomFromSeed(seed));

  test("every holder has its facts, all keys differ, and the gold answer is the sum of two holders' values", () => {
    fc.assert(
      fc.property(fc.string(), (seed) => {
        const problem = draw(seed);
        expect(problemSchema.parse(problem)).toEqual(problem);
        expect(Object.keys(problem.views ?? {})).toEqual(holdersOf(level));
        const hands = Object.values(problem.views ?? {}).map(parseFacts);
        expect(hands.map((hand) => hand.length)).toEqual(hands.map(() => level.factsPerHolder));
        const facts = hands.flat();
        expect(new Set(facts.map(({ key }) => key)).size).toBe(level.holders * level.factsPerHolder);
        const keys = askedKeys(problem.question);
        const values = keys.map((key) => facts.find((fact) => fact.key === key)?.value ?? Number.NaN);
        expect(problem.gold).toBe(String(values.reduce((a, b) => a + b)));
        const idle = hands.filter((hand) => !hand.some(({ key }) => keys.includes(key)));
        expect(idle).toHaveLength(level.holders - 2);
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

  test("rearranging a problem keeps it in the split that it was drawn from", () => {
    const random = randomFromSeed("rearranged");
    for (let i = 0; i < 200; i++) {
      const split = i % 2 === 0 ? "train" : "evaluation";
      const problem = generateRelayProblem(level, random, split);
      expect(relaySplit(problem)).toBe(split);
      const views = Object.values(problem.views ?? {}).map((view) => view.split(" ").toReversed().join(" "));
      const question = problem.question.split("+").toReversed().join("+");
      const rearranged = { ...problem, question, views: Object.fromEntries(random.shuffle(views).entries()) };
      expect([relaySplit(rearranged), relayContent(rearranged)]).toEqual([split, relayContent(problem)]);
    }
  });

  const topology = relayTopology(level);
  const problem = draw("topology");
  const edges = holdersOf(level).map((from) => ({ from, to: "solver" }));
  for (const item of topologyCases) test(item.name, () => item.run(() => ({ topology, problem, edges })));

  test("the solver's prompt holds no fact, and a holder's only its own", async () => {
    // Facts of the others change; the first holder's prompt must not.
    const others = Object.fromEntries(
      holdersOf(level)
        .slice(1)
        .map((agent) => [agent, "x0"]),
    );
    const changed = { ...problem, views: { ...problem.views, ...others } };
    const [before, after] = await Promise.all(
      [problem, changed].map((item) => relayEpisode(level, item, terseTeacher, randomFromSeed(0))),
    );
    expect(after?.utterances[0]).toEqual(before?.utterances[0]);
    expect(after?.utterances.at(-1)?.prompt).not.toContain("x0");
    expect(after?.utterances.at(-1)?.prompt.startsWith(`S:${problem.question}?`)).toBe(true);
  });

  test("the longest sentences fit the limit", async () => {
    const chatty = { verbose: 1, short: 0, terse: 0 };
    const teacher = relayTeacher({ messages: chatty, answers: chatty, silence: 0 });
    const random = randomFromSeed("fit");
    for (let i = 0; i < 100; i++) {
      const { utterances } = await relayEpisode(level, generateRelayProblem(level, random), teacher, random.split(i));
      expect(utterances.every(({ finishReason }) => finishReason === "stop")).toBe(true);
    }
  });
});

test("problems stay the same from version to version", () => {
  const drawn = Object.values(relayLevels).map((level) => generateRelayProblem(level, randomFromSeed("golden")));
  expect(drawn.map(({ id, gold }) => `${id} = ${gold}`)).toMatchInlineSnapshot(`
    [
      "relay:d4|b2|u3?b+u = 5",
      "relay:d4 b2|u3 v0|r1 i8?v+d = 4",
      "relay:i0 w3|f2 k1|s9 l1|g3 c3?c+k = 4",
    ]
  `);
});

test("the test share is one in eight", () => {
  const pairs = letters.flatMap((first, i) => letters.slice(i + 1).map((second) => [first, second] as const));
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

test("the first level has a transcript", async () => {
  const views = { "holder-a": "k6", "holder-b": "m3", "holder-c": "e9" };
  const level = relayLevels["one-fact"];
  const episode = await relayEpisode(level, { ...asked, views }, terseTeacher, randomFromSeed(1));
  expect(episode.utterances.map(({ prompt, text }) => prompt + text)).toEqual([
    "A:k6?k+e>k6",
    "B:m3?k+e>",
    "C:e9?k+e>e9",
    "S:k+e?k6||e9>15",
  ]);
  expect(ledgerTotals(episode.ledger)).toMatchObject({ writtenTokens: 10, readTokens: 4, promptTokens: 3 * 8 + 12 });
  expect([episode.answer, episode.stopReason, episode.topology]).toEqual(["15", "answered", "relay/one-fact"]);
});

test("test problems are distinct and seeded; none is in validation, rearranged or not, or drawn for training", () => {
  const task = relayTask({ level: "one-fact", testProblems: 300 });
  const { validation, testProblems } = task;
  expect(new Set(testProblems.map(({ id }) => id)).size).toBe(300);
  expect(testProblems.every((problem) => relaySplit(problem) === "evaluation")).toBe(true);
  expect(relayTask({ level: "one-fact", testProblems: 300 }).testProblems).toEqual(testProblems);
  expect(relayTask({ level: "one-fact", seed: 1, testProblems: 3 }).testProblems).not.toEqual(testProblems.slice(0, 3));
  const contents = new Set(validation.map((problem) => relayContent(problem)));
  expect(testProblems.filter((problem) => contents.has(relayContent(problem)))).toEqual([]);
  const drawn = task.problems(randomFromSeed("train"), 3000);
  const ids = new Set(testProblems.map(({ id }) => id));
  expect(drawn.filter(({ id }) => ids.has(id))).toEqual([]);
});

test.each([
  ["an unknown level", { level: "five-facts" }],
  ["a name from the prototype chain", { level: "toString" }],
  ["a negative count", { testProblems: -1 }],
  ["half a problem", { testProblems: 0.5 }],
  ["infinitely many", { testProblems: Infinity }],
  ["a count that is no number", { testProblems: Number.NaN }],
])("%s is refused", (_, options) => {
  const create = (): unknown => relayTask({ level: "one-fact", ...options } as Parameters<typeof relayTask>[0]);
  expect(create).toFailWith("config_invalid", options);
});
