import { questionKey, randomFromSeed } from "@laconic/core";
import { answerReading } from "@laconic/grading";
import { describe, expect, test } from "vitest";
import words from "../assets/steps.json" with { type: "json" };
import type { BenchmarkProblem } from "../src/data/benchmark.ts";
import { distribute } from "../src/data/distribute.ts";
import { madeFile, loadSplit } from "../src/data/load-split.ts";
import { openSplit } from "../src/data/open-split.ts";
import { benchmarkNamed } from "../src/data/registry.ts";
import {
  drawSteps,
  drawWrongDraft,
  stepsFamilies,
  stepsQuestion,
  stepsSolution,
  type StepsProblem,
} from "../src/steps/index.ts";
import { isHeldBack, type SentenceKind } from "../src/steps/shapes.ts";

const families = Object.entries(stepsFamilies);
const drawn = (label: string, count: number, options = {}): StepsProblem[] =>
  Array.from({ length: count }, (_, i) => drawSteps(randomFromSeed(label).split(i), options));

type Meaning = Readonly<Record<string, string | undefined>> & { readonly kind: SentenceKind };

const slots = words.slots as Readonly<Record<string, readonly string[]>>;

function frames(frame: string): string[] {
  const slot = ["more", "some"].find((name) => frame.includes(`{${name}}`));
  return slot ? (slots[slot] ?? []).flatMap((choice) => frames(frame.replace(`{${slot}}`, choice))) : [frame];
}

const valuePatterns: Readonly<Record<string, string>> = {
  n: "\\d+",
  w: "twice|three times|four times",
  p: "[A-Z]\\w+",
  q: "[A-Z]\\w+",
};

function patternOf(frame: string): RegExp {
  const seen = new Set<string>();
  const pattern = frame.replaceAll(/[.?]/gu, String.raw`\$&`).replaceAll(/\{(\w+)\}/gu, (_, name: string) => {
    if (name === "o") return "[a-z]+";
    if (name.length > 1) return `(?:${[...new Set(slots[name])].join("|")})`;
    if (seen.has(name)) return `\\k<${name}>`;
    seen.add(name);
    return `(?<${name}>${valuePatterns[name]})`;
  });
  return new RegExp(`^${pattern}$`, "iu");
}

const meanings = (["start", "add", "subtract", "more", "fewer", "times", "ask", "askTogether"] as const).flatMap(
  (kind) => words.frames[kind].flatMap(frames).map((frame) => ({ kind, pattern: patternOf(frame) })),
);

function meaningsOf(sentence: string): Meaning[] {
  return meanings.flatMap(({ kind, pattern }) => {
    const match = pattern.exec(sentence);
    return match ? [{ ...match.groups, kind }] : [];
  });
}

const factors: Readonly<Record<string, number>> = { twice: 2, "three times": 3, "four times": 4 };

/** q = p op n, read from a comparison; null for other sentences. */
const compared: Readonly<Record<string, (known: number, n: number, isForward: boolean) => number>> = {
  more: (known, n, isForward) => (isForward ? known + n : known - n),
  fewer: (known, n, isForward) => (isForward ? known - n : known + n),
  times: (known, n, isForward) => (isForward ? known * n : known / n),
};

/** Solves a problem by its sentences alone, in any order; a comparison holds after the events of both. */
function solved(sentences: readonly string[], asked: string): number | undefined {
  const facts = sentences.map((sentence) => meaningsOf(sentence));
  const changes = new Map<string, number>();
  const values = new Map<string, number>();
  for (const [fact] of facts) {
    const sign = { add: 1, subtract: -1 }[fact?.kind as "add"];
    const person = fact?.["p"] ?? "";
    if (sign) changes.set(person, (changes.get(person) ?? 0) + sign * Number(fact?.["n"]));
    if (fact?.kind === "start") values.set(person, Number(fact["n"]));
  }
  for (const [person, value] of values) values.set(person, value + (changes.get(person) ?? 0));
  for (let round = 0; round < 3; round++)
    for (const { kind, p = "", q = "", n, w = "" } of facts.flatMap((all) => all.slice(0, 1))) {
      const amount = n === undefined ? (factors[w] ?? 0) : Number(n);
      const rule = compared[kind];
      if (rule && values.has(p) && !values.has(q))
        values.set(q, rule(values.get(p) ?? 0, amount, true) + (changes.get(q) ?? 0));
      else if (rule && values.has(q) && !values.has(p))
        values.set(p, rule(values.get(q) ?? 0, amount, false) + (changes.get(p) ?? 0));
    }
  const [question] = meaningsOf(asked);
  const [first, second] = [question?.["p"], question?.["q"]].map((person) => values.get(person ?? ""));
  if (first === undefined || (question?.kind === "askTogether" && second === undefined)) return undefined;
  return first + (second ?? 0);
}

/** What a sentence states; "Ann has 2 more than Bob" and "Bob has 2 fewer than Ann" are one equation. */
function equationOf({ kind, p, q, n, w }: Meaning): string {
  if (kind === "fewer") return `${p} = ${q} + ${n}`;
  return kind === "more" ? `${q} = ${p} + ${n}` : [kind, p, q, n, w].join(" ");
}

test.each(families)("%s: the sentences alone give the answer, in any order", (name, family) => {
  for (const [i, { facts, asked, answer }] of drawn(`reading ${name}`, 400, { family }).entries()) {
    const needed = facts.filter(({ use }) => use === "needed").map(({ text }) => text);
    const order = randomFromSeed(i).shuffle(needed);
    expect([asked, order, solved(order, asked)]).toEqual([asked, order, answer]);
    for (const text of [...order, asked])
      expect([text, new Set(meaningsOf(text).map(equationOf)).size]).toEqual([text, 1]);
    expect(solved(order.slice(1), asked)).not.toBe(answer);
  }
});

test.each(families)("%s: exactly what the family names is new", (_, family) => {
  const lists = { names: words.names, things: words.things };
  for (const problem of drawn("news", 200, { family })) {
    const text = ` ${stepsQuestion(problem)} `;
    const uses = (list: string): boolean => list.split(" ").some((word) => new RegExp(`\\b${word}\\b`, "u").test(text));
    expect([uses(lists.names.new), uses(lists.things.new)]).toEqual([family.names, family.names]);
    expect([uses(lists.names.known), uses(lists.things.known)]).toEqual([!family.names, !family.names]);
    const pairs = problem.calculations.map(({ left, sign, right }) => isHeldBack(`${left} ${sign} ${right}`, 0.125));
    expect(pairs.includes(true)).toBe(family.numbers);
  }
});

test("each operation has a hundred shapes or more", () => {
  const shapes = (text: string): number =>
    [...text.matchAll(/\{(\w{2,})\}/gu)].reduce((product, [, slot = ""]) => {
      const choices = new Set(slots[slot]);
      const neutral = slot === "box" || slot === "friend";
      return product * (neutral ? 1 : [...choices].reduce((sum, choice) => sum + shapes(choice), 0));
    }, 1);
  for (const kind of ["start", "add", "subtract", "more", "fewer", "times"] as const)
    expect(words.frames[kind].reduce((sum, frame) => sum + shapes(frame), 0)).toBeGreaterThanOrEqual(100);
});

test("the solution reads right, a wrong draft reads wrong, and the draft errs in one step", () => {
  const { read } = answerReading({ kind: "numeric" });
  for (const [i, problem] of drawn("drafts", 300).entries()) {
    const draft = drawWrongDraft(problem, randomFromSeed(i));
    expect(Number(read(stepsSolution(problem)))).toBe(problem.answer);
    expect(Number(read(draft.text))).not.toBe(problem.answer);
    const wrong = [...draft.text.matchAll(/(\d+) ([-+x]) (\d+) = (\d+)\./gu)].flatMap(
      ([, a, sign, b, result], step) => {
        const right = { "+": Number(a) + Number(b), "-": Number(a) - Number(b), x: Number(a) * Number(b) }[sign as "+"];
        return right === Number(result) ? [] : [step];
      },
    );
    expect(wrong).toEqual([draft.step]);
  }
});

describe("the benchmark", () => {
  const benchmark = benchmarkNamed("steps");
  const load = (split: string): Promise<readonly BenchmarkProblem[]> => {
    const file = madeFile(benchmark, split);
    return loadSplit(benchmark, split, file ? [file] : []).then(({ problems }) => problems);
  };

  test("no split holds a question of another, and rows have their checksum", async () => {
    const keys = (await Promise.all(Object.keys(benchmark.splits).map(load))).flat().map((row) => questionKey(row));
    expect(new Set(keys).size).toBe(5 * 400 + 4000);
  });

  test.each([2, 3, 4])("%i holders: no share gives the answer, and all together do", async (count) => {
    const holders = Array.from({ length: count }, (_, i) => `holder-${i + 1}`);
    let idle = 0;
    for (const problem of (await load("all-new")).slice(0, 200)) {
      const dealt = distribute(problem, holders, "test");
      const views = Object.values(dealt?.problem.views ?? {});
      const needed = problem.facts?.filter((fact) => fact.needed).map(({ text }) => text) ?? [];
      const held = views.map((view) => needed.filter((text) => view.includes(text)));
      expect(held.flat().toSorted()).toEqual(needed.toSorted());
      for (const share of held) expect(solved(share, dealt?.problem.question ?? "")).not.toBe(Number(problem.gold));
      expect(dealt?.problem.question).toBe(
        problem.question.slice(problem.facts?.map(({ text }) => text).join(" ").length).trim(),
      );
      idle += Number(held.filter((share) => share.length > 0).length < count);
    }
    expect(count === 2 ? idle === 0 : idle > 100).toBe(true);
  });
});

test("benchmarkNamed reads a split after the name, with equal ids", async () => {
  const [named, plain] = [benchmarkNamed("steps/new-shapes"), benchmarkNamed("steps")];
  const load = (benchmark: typeof plain) => openSplit(benchmark, { folder: "/nowhere", split: "new-shapes" });
  expect(named.defaultSplit).toBe("new-shapes");
  expect((await load(named)).problems).toEqual((await load(plain)).problems);
  expect(() => benchmarkNamed("steps/train")).toThrow("has examples and is not scored");
  expect(() => benchmarkNamed("steps/../known")).toThrow("has no split ../known");
});
