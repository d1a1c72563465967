import { expect, test } from "vitest";
import { publishedCells } from "../published.ts";
import type { MethodSummary } from "../results/summary.ts";
import { reproducedAverages, reproducedCells, sameShare } from "./compatible.ts";
import { playedTable, reproductionLedger } from "./ledger.ts";

test("every figure of Agent-GSPO's tables has a row, and a faithful one names the texts that it needs", () => {
  const rows = reproductionLedger();
  const gspo = rows.filter(({ paper }) => paper === "agent-gspo");
  // Two tables, and what is printed of two ablations.
  expect(gspo).toHaveLength(publishedCells().length + 2);
  expect(gspo.filter(({ place }) => place === "Table 1")).toHaveLength(9 * 7);
  expect(gspo.filter(({ place }) => place === "Table 2")).toHaveLength(5 * 4);
  const faithful = rows.filter(({ differs }) => differs === "");
  expect(faithful.length).toBeGreaterThan(0);
  expect(faithful.filter(({ exemplars }) => exemplars === null)).toEqual([]);
  const cot = gspo.find(({ row, benchmark }) => row === "cot" && benchmark === "gsm8k");
  expect(cot).toMatchObject({ exemplars: "cot-word", n: 1319, calls: 1319, differs: "", figure: "87.17 % (+1.77)" });
});

test("an average is played over five benchmarks, at the sum of their questions and calls", () => {
  const hint = reproductionLedger().find(({ row }) => row === "untrained hint");
  const questions = 30 + 500 + 675 + 272 + 40;
  expect(hint).toMatchObject({ n: questions, calls: 2 * questions, exemplars: "agentpo-hint", figure: "55.1 %" });
  const agentpo = reproductionLedger().find(({ row, model }) => row === "agentpo" && model === "Llama-3.1-8B");
  expect(agentpo).toMatchObject({ method: null, figure: "31.5 % (+5.6/+11.3)" });
});

/** What a bench of a method on a benchmark came to. */
const summaryOf = (benchmark: string, share: number, scored: number, published: string | null): MethodSummary => ({
  benchmark,
  method: "vanilla",
  setting: "whole",
  equalTo: null,
  protocol: null,
  shots: null,
  published,
  differs: published === null ? ["Ours."] : [],
  notes: {},
  scored,
  samples: scored,
  errors: 0,
  undecided: 0,
  questions: scored,
  meanScore: null,
  accuracy: { value: share, low: 0, high: 1 },
  firstAttemptAccuracy: share,
  unanswered: 0,
  promptTokens: 90 * scored,
  completionTokens: 10 * scored,
  calls: scored,
  criticalTokens: 0,
  meanCriticalSeconds: null,
  usd: null,
  byModel: [],
  meanSeconds: 0,
  difference: null,
  compared: 0,
});

test("an average of five is tested once all five are present, and only for published protocols", () => {
  const five = (share: number, published: string | null) =>
    ["aime24", "math500", "olympiadbench", "minerva", "amc23"].map((name) => summaryOf(name, share, 100, published));
  const of = (summaries: MethodSummary[]) => reproducedAverages(summaries, "Qwen2.5-Math-7B", () => 100)[0];
  // By hand: the variance of either average is 0.38 * 0.62 / 500, near enough.
  expect(of(five(0.38, "vanilla"))).toMatchObject({ published: 38.2, scored: 500, verdict: "compatible" });
  expect(of(five(0.48, "vanilla"))?.p).toBeCloseTo(0.0018, 2);
  expect(of(five(0.48, "vanilla"))?.verdict).toBe("different");
  expect(of(five(0.38, null))?.verdict).toBe("not as published");
  expect(of(five(0.38, "vanilla").slice(1))?.verdict).toBe("not played");
});

test("repeats of a question add nothing to what an average of five is sure of", () => {
  const five = (repeats: number) =>
    ["aime24", "math500", "olympiadbench", "minerva", "amc23"].map((name) => ({
      ...summaryOf(name, 0.42, 100 * repeats, "vanilla"),
      questions: 100,
    }));
  const [once, often] = [1, 16].map((repeats) => reproducedAverages(five(repeats), "Qwen2.5-Math-7B", () => 100)[0]);
  expect([often?.p, often?.verdict, often?.ours]).toEqual([once?.p, once?.verdict, once?.ours]);
});

test("tokens of Table 2 are next to ours by question, without a test", () => {
  const summary = { ...summaryOf("gsm8k", 0.9, 50, "debate"), method: "debate" };
  const [shares, tokens] = reproducedCells([summary], () => 1319, "2");
  expect(shares?.unit).toBe("%");
  expect(tokens).toMatchObject({ unit: "tokens a question", p: null, verdict: "no test" });
  expect([tokens?.ours?.value, tokens?.published]).toEqual([100, 2.2e7 / 1319]);
});

test("a table runs each method once, without the trained one", () => {
  expect(playedTable("2")).toEqual({
    benchmarks: ["mmlu-153", "gsm8k"],
    methods: ["vanilla:agentprune-direct", "php", "debate", "dylan"],
  });
});

test("two shares: the test equals scipy's chi-square of the 2 x 2 table without correction", () => {
  expect(sameShare(0.8, 100, 0.9, 100)).toBeCloseTo(0.04767, 4);
  expect(sameShare(0.5, 10, 0.5, 1000)).toBeCloseTo(1, 6);
  expect(sameShare(1, 5, 1, 9)).toBe(1);
});
