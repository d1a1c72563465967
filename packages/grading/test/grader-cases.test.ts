import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gradeCase, gradeNumber, mathsGrader, readGradedCases, type GradedCase } from "@laconic/grading";
import { extractPublishedNumber } from "../src/number-answer.ts";
import { afterAll, describe, expect, test } from "vitest";

const folder = process.env["LACONIC_DATA"];

/** Wrong labels, and labels that contradict each other; each was reviewed. */
const exceptions: Readonly<Record<string, string>> = {
  "gc-0548": "identical texts, labelled false because the gold of OlympiadBench 2349 is malformed",
  "gc-0413": "pi as 3.14159265 behind a stray \\cdot",
  "gc-0770": "pi as 3.14159265 behind a stray \\cdot",
  "gc-0775": "pi as 3.14159265 behind a stray \\cdot",
  "gc-0778": "pi as 3.14159265",
  "gc-0781": "pi as 3.14159265",
  "gc-0782": "pi as 3.14159265, equal at 6 decimals",
};
const neverAccepted = ["off-by-one", "sign-flip", "inverse", "list-missing-last", "unrelated-answer"];

type Row = GradedCase & {
  readonly transformation?: string;
  readonly also?: Readonly<Record<string, string | boolean | null>>;
};

describe.skipIf(folder === undefined)("labelled cases (LACONIC_DATA)", async () => {
  const bytes = folder === undefined ? new Uint8Array() : readFileSync(join(folder, "grader-cases.jsonl"));
  const raw = new Map(
    new TextDecoder()
      .decode(bytes)
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Row)
      .map((row) => [row.id, row]),
  );
  const cases = [
    ...readGradedCases([...raw.values()].map((value, i) => ({ file: "grader-cases.jsonl", row: i + 1, value }))),
  ].flatMap((item) => ("reason" in item ? [] : [item]));
  const maths = mathsGrader();
  afterAll(() => maths.close());
  const judged = await Promise.all(cases.map(async (item) => ({ item, verdict: await gradeCase(item, maths) })));
  const of = (origin: string): typeof judged =>
    judged.filter(({ item }) => item.kind === "math-equivalence" && item.origin === origin);
  const wrong = (list: typeof judged): string[] =>
    list
      .filter(({ item, verdict }) => verdict.correct !== item.verdict && !(item.id in exceptions))
      .map(({ item }) => item.id);

  test("reads every row as a case", () => expect(cases).toHaveLength(495));
  test.for(["upstream-test", "upstream-example", "computed"])("grades every %s as labelled", (origin) => {
    expect(wrong(of(origin))).toEqual([]);
  });
  test("accepts no wrong answer of an exploitable kind", () => {
    const accepted = judged.filter(
      ({ item, verdict }) => verdict.correct === true && neverAccepted.includes(raw.get(item.id)?.transformation ?? ""),
    );
    expect(accepted.map(({ item }) => item.id)).toEqual([]);
  });
  test("GSM8K follows the labelled rule, and the default accepts right answers", () => {
    const numbers = judged.filter(({ item }) => item.kind === "gsm8k-extraction");
    expect(wrong(numbers)).toEqual([]);
    expect(numbers.map(({ item }) => gradeNumber(item.prediction ?? "", item.gold ?? "").correct)).not.toContain(false);
    for (const { item } of numbers) {
      const strict = extractPublishedNumber(item.prediction ?? "", "strict-match");
      const flexible = extractPublishedNumber(item.prediction ?? "", "flexible-extract");
      const { also } = raw.get(item.id) as Row;
      expect([strict?.answer ?? "[invalid]", flexible?.answer]).toEqual([
        also?.["strict_match_extracted"],
        also?.["flexible_extracted"],
      ]);
    }
  });
});
