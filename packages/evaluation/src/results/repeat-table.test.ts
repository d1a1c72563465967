import { describe, expect, test } from "vitest";
import { noCosts, sampleSchema, type SampleRecord } from "../sample-record.ts";
import { meanPassAtK, passAtK, repeatTable, summariseRepeats } from "./repeat-table.ts";
import { summarise } from "./summary.ts";

describe("pass@k", () => {
  test.for([1, 2, 3, 4, 5, 6])(
    "%i samples: the share of draws of k with a correct sample equals an enumeration",
    (n) => {
      const drawn = (draw: number): number => draw.toString(2).replaceAll("0", "").length;
      for (let c = 0; c <= n; c++)
        for (let k = 1; k <= n; k++) {
          // A bit for each sample; the first c are correct.
          const draws = Array.from({ length: 2 ** n }, (_, i) => i).filter((draw) => drawn(draw) === k);
          const held = draws.filter((draw) => draw % 2 ** c > 0);
          expect(passAtK(n, c, k)).toBeCloseTo(held.length / draws.length, 12);
        }
    },
  );
  test.for([
    [2.5, 1, 1],
    [3, -1, 1],
    [3, 4, 1],
    [3, 1, 0],
    [3, 1, 4],
  ] as const)("%d samples, %d correct, k = %d is refused", ([n, c, k]) => {
    expect(() => passAtK(n, c, k)).toFailWith("input_invalid");
  });
  test("a k that a problem has too few samples for is not reported", () => {
    const [half, one, none] = [
      { n: 2, c: 1 },
      { n: 1, c: 1 },
      { n: 2, c: 0 },
    ] as const;
    expect(meanPassAtK([half, one], 2)).toBeNull();
    expect(meanPassAtK([half, none], 1)).toBe(0.25);
    expect(meanPassAtK([], 1)).toBeNull();
  });
});

/** Samples of a question by what each said; `!` is the right answer, empty none. */
function samples(problem: string, replies: readonly string[], method = "cot"): SampleRecord[] {
  return replies.map((text, repeat) =>
    sampleSchema.parse({
      benchmark: "gsm8k",
      problem,
      method,
      repeat,
      config: "c",
      status: "scored",
      correct: text.startsWith("!"),
      answer: text,
      extracted: text === "" ? null : text,
      rule: null,
      stopReason: "answered",
      ...noCosts,
      usd: null,
      seconds: 1,
      attempt: 1,
      error: null,
      gold: "!",
    }),
  );
}

test("a summary counts samples with a score; costs, notes and models add up", () => {
  const used = (calls: number, usd: number | null) => {
    const tokens = { promptTokens: 10 * calls, completionTokens: calls };
    return { calls, usd, ...tokens, byModel: [{ model: "m", calls, usd, ...tokens }] };
  };
  const [right, wrong, failed, waiting] = samples("a", ["!7", "", "3", "4"]) as [SampleRecord, ...SampleRecord[]];
  const records = [
    { ...right, ...used(2, 0.5), seconds: 3, criticalSeconds: 2, notes: ["capped", "capped"] },
    { ...wrong, ...used(1, 0.25), attempt: 2, notes: ["capped"] },
    { ...failed, ...used(4, 1), status: "error", correct: null },
    { ...waiting, ...used(8, 2), status: "undecided", correct: null },
  ] as SampleRecord[];
  const sums = { calls: 3, promptTokens: 30, completionTokens: 3 };
  const [summary] = summarise(records);
  expect(summary).toMatchObject({
    ...sums,
    scored: 2,
    samples: 4,
    errors: 1,
    undecided: 1,
    questions: 1,
    unanswered: 1,
    usd: 0.75,
    byModel: [{ model: "m", ...sums, usd: 0.75 }],
    notes: { capped: 2 },
    firstAttemptAccuracy: 1,
    meanSeconds: 2,
    meanCriticalSeconds: 2,
  });
  expect(summary?.accuracy?.value).toBe(0.5);
  const [unpriced] = summarise([right, { ...right, ...used(1, null), repeat: 1 }]);
  expect([unpriced?.usd, unpriced?.byModel[0]?.usd]).toEqual([null, null]);
});

describe("repeats", () => {
  const records = [
    // Right answers in several spellings are one answer, and the most frequent.
    ...samples("a", ["7", "!12", "7", "!12.0", "!1 2"]),
    // As frequent: the first one given counts.
    ...samples("b", ["!3", "4", "4", "!3", ""]),
    ...samples("c", ["4", "!3", "!3", "4", ""]),
    ...samples("d", ["", "", "", "", ""]),
  ];
  test("mean, majority and pass@k, question by question", () => {
    const [only, ...others] = summariseRepeats(records);
    expect(others).toEqual([]);
    expect(only).toMatchObject({ benchmark: "gsm8k", method: "cot", questions: 4, repeats: 5, majority: 0.5 });
    expect(only?.mean).toBeCloseTo((3 / 5 + 2 / 5 + 2 / 5) / 4, 12);
    expect(Object.keys(only?.passAt ?? {})).toEqual(["1", "2", "4", "5"]);
    expect(only?.passAt[1]).toBeCloseTo(only?.mean ?? NaN, 12);
    // Of 5 with 3 right, 2 drawn: 1 - C(2,2)/C(5,2); with 2 right: 1 - C(3,2)/C(5,2).
    expect(only?.passAt[2]).toBeCloseTo((0.9 + 0.7 + 0.7) / 4, 12);
    expect(only?.passAt[5]).toBeCloseTo(0.75, 12);
  });
  test("failed samples do not count: a question with fewer samples bounds k", () => {
    const failed = samples("e", ["!1", "!1", "!1"]).map((record, i) =>
      i === 0 ? { ...record, status: "error" as const } : record,
    );
    const [only] = summariseRepeats([...records, ...failed]);
    expect([only?.repeats, Object.keys(only?.passAt ?? {})]).toEqual([2, ["1", "2"]]);
  });
  test("a table of methods that were repeated, and none where nothing was", () => {
    const table = repeatTable([...records, ...samples("a", ["!1"], "sc")], (method) => method.toUpperCase());
    expect(table?.rows.map((row) => row.slice(0, 6))).toEqual([["gsm8k", "COT", "4", "5", "35.0", "50.0"]]);
    expect(table?.columns.slice(-4)).toEqual(["pass@1", "pass@2", "pass@4", "pass@5"]);
    expect(repeatTable(samples("a", ["!1"]), String)).toBeNull();
  });
});
