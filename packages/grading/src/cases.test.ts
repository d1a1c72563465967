import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { extractLetter, gradeLetter } from "./letter-answer.ts";
import { gradeMaths } from "./maths/grade-maths.ts";
import { parseLatex } from "./maths/reading/latex-expression.ts";
import { normaliseLatex } from "./maths/reading/normalise.ts";
import { extractNumber, gradeNumber } from "./number-answer.ts";

type Sections<Row> = readonly (readonly [name: string, rows: readonly Row[]])[];
type Judged = readonly [reply: string, gold: string, right: boolean];
type Form = readonly [gold: string, right: readonly string[], wrong: readonly string[]];

const file = JSON.parse(readFileSync(new URL("../test/cases.json", import.meta.url), "utf8"));
const sections = <Row>(of: string): Sections<Row> => Object.entries(file[of]);

const maths = (reply: string, gold: string): boolean => gradeMaths(reply, gold, { bareGold: true }).correct;
const boxed = (answer: string): string => `\\boxed{${answer}}`;
const judges: Readonly<Record<string, (reply: string, gold: string) => boolean>> = {
  maths,
  numbers: (reply, gold) => gradeNumber(reply, gold).correct,
  letters: (reply, gold) => gradeLetter(reply, gold, "ABCDE").correct,
};

describe.each(sections<Judged>("replies"))("%s", (kind, rows) => {
  test.each(rows)("%j for %s: %s", (reply, gold, right) => expect(judges[kind]?.(reply, gold)).toBe(right));
});

describe.each(sections<Form>("forms"))("%s", (_, rows) => {
  test.each(rows)("%s", (gold, right, wrong) => {
    expect(right.filter((reply) => !maths(reply, gold))).toEqual([]);
    expect(wrong.filter((reply) => maths(reply, gold))).toEqual([]);
  });
});

describe.each(sections<Form>("equal both ways"))("%s", (_, rows) => {
  test.each(rows)("%s", (gold, equal, different) => {
    const judged = (answer: string): boolean[] => [maths(boxed(answer), gold), maths(boxed(gold), answer)];
    expect([...equal, gold].filter((answer) => judged(answer).includes(false))).toEqual([]);
    expect(different.filter((answer) => judged(answer).includes(true))).toEqual([]);
  });
});

test.each(file.letters as [string, string | null][])("%j chooses %j", (reply, letter) => {
  expect(extractLetter(reply, "ABCDE")?.answer ?? null).toBe(letter);
});

test("only the benchmark's letters count", () => {
  expect(extractLetter("The answer is E", "ABCD")).toBeNull();
  expect(gradeLetter("The answer is (c).", "C", "ABCD")).toMatchObject({ correct: true, certainty: "exact" });
  expect(gradeLetter("no idea", "C", "ABCD")).toMatchObject({ correct: false, extracted: null });
});

test.each(file.numbers as [string, string | null, string | null][])("%j says %s (%s)", (reply, answer, rule) => {
  expect(extractNumber(reply)).toEqual(answer === null ? null : { answer, rule });
});

/** Expansion would not end, nesting is too deep, or no method applies. */
const nines = "9".repeat(300);
test.each([
  String.raw`\sum_{k=1}^{999}\sum_{j=1}^{999}\sum_{i=1}^{999} ijk`,
  String.raw`\sum_{k=1}^{${nines}} k`,
  String.raw`\prod_{k=1}^{1000} (k^{1000}+1)`,
  String.raw`${String.raw`\int_0^1 `.repeat(300)} x ${"dx".repeat(300)}`,
  String.raw`${String.raw`\sum_{i=1}^{9} `.repeat(300)} i`,
  String.raw`${String.raw`\frac{d}{dx} `.repeat(200)} \sin(x^2)e^{x^3}`,
  String.raw`\lim_{x\to 0}\frac{(\sin x)^{40}}{(1-\cos x)^{20}}`,
  String.raw`\int_0^1 (x^{40}+${nines})^{40} dx`,
])("%s is not calculated, and says so soon", (latex) => expect(maths(boxed(latex), "12345")).toBe(false));
test.each([
  ["2^{2^{2^{2^{2^{2}}}}}", "3^{2^{2^{2^{2^{2}}}}}"],
  ["e^{100000000}", "e^{100000001}"],
  ["\\sin(10^{50})", "\\sin(10^{50}+1)"],
  ["(10^6)!", "(10^6+1)!"],
])("%s and %s are beyond comparison, and quickly", (gold, answer) => expect(maths(boxed(answer), gold)).toBe(false));

test.each(file.latex as [string, unknown][])("%s", (latex, json) => expect(parseLatex(latex)).toEqual(json));
test.each([...file.malformed, "\ud800"])("%j is malformed", (latex) => expect(parseLatex(latex)).toBeNull());
test("deep nesting is malformed, whatever nests", () => {
  for (const piece of ["|", "\\sqrt", "(", "{", "\\sin", "\\frac", "\\sum"])
    expect(parseLatex(piece.repeat(2500))).toBeNull();
  for (const piece of ["!", "'", "/2", "^2", "\\bmod 2"]) expect(parseLatex(`x${piece.repeat(1500)}`)).toBeNull();
  expect(parseLatex(`${"-".repeat(2501)}x`)).toEqual(["Negate", "x"]);
});
test.each(file.thousands as [string, string][])("reads thousands in %s", (latex, plain) => {
  expect(normaliseLatex(latex)).toBe(plain);
});
