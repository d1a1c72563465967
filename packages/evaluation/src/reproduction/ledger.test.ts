import { expect, test } from "vitest";
import { publishedCells } from "../published.ts";
import {
  reproducedCells,
  sameShare,
  sameShareExactly,
  seedMethod,
  type Observation,
  type ReproducedCell,
} from "./compatible.ts";
import { agentPoTable, reproductionLedger } from "./ledger.ts";
import { departuresOf, isComparable, type LedgerRow } from "./played-on.ts";

const rows = reproductionLedger();

test("every figure of Agent-GSPO's tables has a row, and a faithful one names the texts that it needs", () => {
  const gspo = rows.filter(({ paper }) => paper === "agent-gspo");
  expect(gspo).toHaveLength(publishedCells().length + 2);
  expect(gspo.filter(({ place }) => place === "Table 1")).toHaveLength(9 * 7);
  expect(gspo.filter(({ place }) => place === "Table 2")).toHaveLength(5 * 4);
  const faithful = rows.filter((row) => isComparable(row) && row.differs.length === 0);
  expect(faithful.length).toBeGreaterThan(0);
  expect(faithful.filter(({ exemplars, isTrained }) => exemplars === null || isTrained)).toEqual([]);
  const cot = gspo.find(({ row, benchmark }) => row === "cot" && benchmark === "gsm8k");
  expect(cot).toMatchObject({ exemplars: "cot-word", n: 1319, calls: 1319, figure: "87.17 % (+1.77)" });
  expect(cot?.differs).toEqual(["Temperature differs: 0, published 1."]);
});

test("42 figures of the seven baseline rows are AgentPrune's, and SC is SC (CoT)", () => {
  const taken = rows.filter(
    ({ place, row, takenBy }) => place === "Table 1" && row !== "agentprune-r" && takenBy.startsWith("AgentPrune"),
  );
  expect(taken).toHaveLength(42);
  expect(taken.filter(({ row }) => row === "sc").every(({ takenBy }) => takenBy.includes("SC (CoT)"))).toBe(true);
  expect(rows.every(({ takenBy, open }) => takenBy !== "" && open !== "")).toBe(true);
});

test("an average is played over five benchmarks, at the sum of their questions and calls", () => {
  const hint = rows.find(({ row }) => row === "untrained hint");
  const questions = 30 + 500 + 675 + 272 + 40;
  expect(hint).toMatchObject({ n: questions, calls: 2 * questions, exemplars: "agentpo-hint", figure: "55.1 %" });
  expect(hint?.differs).toEqual([expect.stringContaining("a reply that ends in a code block")]);
  const agentpo = rows.find(({ row, model }) => row === "agentpo" && model === "Llama-3.1-8B");
  expect(agentpo).toMatchObject({ method: "agentpo", isTrained: true, figure: "31.5 % (+5.6/+11.3)" });
});

/** Samples of a method: the first `right` of `count` questions have the quantities of `good`. */
function samples(method: string, benchmark: string, right: number, count: number, tokens = 100): Observation[] {
  return Array.from({ length: count }, (_, i) => ({
    method,
    benchmark,
    problem: String(i),
    quantities: { accuracy: i < right ? 1 : 0, tokens: tokens + (i % 7), score: i < right ? 1 : 0 },
  }));
}

const five = ["aime24", "math500", "olympiadbench", "minerva", "amc23"];
const rowNamed = (name: string, model: string, benchmark?: string): LedgerRow =>
  rows.find(
    (row) => row.row === name && row.model === model && (benchmark ?? row.benchmark) === row.benchmark,
  ) as LedgerRow;
const verdictsOf = (row: LedgerRow, all: readonly Observation[]): ReproducedCell["verdict"][] =>
  reproducedCells([row], all, () => []).map(({ verdict }) => verdict);

test("each comparable row has a verdict from samples of the methods that its command names", () => {
  const comparable = rows.filter((row) => isComparable(row));
  expect([rows.length, comparable.length]).toEqual([125, 120]);
  for (const row of comparable) {
    const than = row.comparison.kind === "claims" ? row.comparison.claims.flatMap((claim) => claim.than ?? []) : [];
    const measures = { seconds: 1, coherence: 0.5, cooperation: 0.5 };
    const all = [row.method ?? "", ...than].flatMap((method) =>
      [...five, ...row.benchmark.split(", ")].flatMap((name) =>
        samples(method, name, 100, 200).map((sample) => ({
          ...sample,
          quantities: {
            ...sample.quantities,
            ...measures,
            [`scheme/${row.row.split("scheme ")[1] ?? ""}`.replace(" ", "-")]: 0,
          },
        })),
      ),
    );
    const verdicts = verdictsOf(row, all);
    expect(
      verdicts.filter((verdict) => verdict !== "compatible" && verdict !== "different"),
      row.row,
    ).toEqual([]);
    expect(new Set(verdictsOf(row, [])), row.row).toEqual(new Set(["not played"]));
    // The command names every method that the statement needs; MAGRPO's baselines are always played.
    const named = [row.method ?? "", ...than].filter((name) => name !== "single");
    expect(
      named.filter((name) => !row.command.includes(name)),
      row.row,
    ).toEqual([]);
  }
  for (const row of rows.filter((other) => !isComparable(other)))
    expect(reproducedCells([row], [], () => [])[0]).toMatchObject({ verdict: "cannot be compared", reason: /./u });
});

test("an average of five is tested once all five are present", () => {
  const row = rowNamed("backbone", "Qwen2.5-Math-7B");
  const of = (right: number, names = five): ReproducedCell | undefined =>
    reproducedCells(
      [row],
      names.flatMap((name) => samples("vanilla", name, right, 100)),
      () => [],
    )[0];
  expect(of(38)).toMatchObject({ published: "38.2 %", scored: 500, verdict: "compatible" });
  expect(of(58)?.verdict).toBe("different");
  expect(of(38, five.slice(1))?.verdict).toBe("not played");
});

test("few questions have no p-value, with the number that is needed; a whole benchmark has an exact test", () => {
  const row = rowNamed("agent-gspo", "gpt-4-1106-preview", "mmlu-153");
  const [few] = reproducedCells([row], samples("agent-gspo", "mmlu-153", 8, 10), () => []);
  expect(few).toMatchObject({ p: null, verdict: "too few questions" });
  // 5 of 1 - 136.67 / 163: the rarer answer.
  expect(few?.reason).toBe("Fewer than 5 right or wrong answers are expected of 10 questions: ask at least 31.");
  expect(verdictsOf(row, samples("agent-gspo", "mmlu-153", 25, 31))).toEqual(["compatible"]);
  const aime = rowNamed("agentpo", "Llama-3.1-8B", "aime24");
  const [whole] = reproducedCells([aime], samples("agentpo", "aime24", 1, 30), () => []);
  // scipy.stats.fisher_exact([[1, 29], [5, 25]])
  expect(whole?.p).toBeCloseTo(0.19451, 4);
});

test("repeats of a question and seeds add no questions; seeds have an interval over runs", () => {
  const row = rowNamed("agent-gspo", "gpt-4-1106-preview", "mmlu-153");
  const once = samples("agent-gspo", "mmlu-153", 120, 153);
  const [one] = reproducedCells([row], once, () => []);
  const [twice] = reproducedCells([row], [...once, ...once], () => []);
  expect(twice).toEqual(one);
  const other = samples(seedMethod("agent-gspo", 2), "mmlu-153", 126, 153);
  const [seeds] = reproducedCells([row], [...once, ...other], () => []);
  expect(seeds).toMatchObject({ runs: 2, scored: 153 });
  expect(seeds?.ours?.value).toBeCloseTo(123 / 153, 12);
  // Student's t of two runs: 12.706 times half their distance.
  expect((seeds?.ours?.high ?? 0) - (seeds?.ours?.low ?? 0)).toBeCloseTo(12.706 * (6 / 153), 3);
});

test("a ratio of tokens and a difference of accuracy are compatible, or not, by their intervals", () => {
  const sc = rowNamed("sc", "Llama-3.1-8B");
  const agentpo = five.flatMap((name) => samples("agentpo", name, 20, 40));
  const play = (right: number, tokens: number): string[] =>
    verdictsOf(sc, [...agentpo, ...five.flatMap((name) => samples("sc", name, right, 40, tokens))]);
  expect(play(10, 800)).toEqual(["compatible", "compatible"]);
  expect(play(38, 200)).toEqual(["different", "different"]);
});

test("tokens of Table 2 are tested by the question with the rounding of the printed total", () => {
  const tokens = rows.find(({ row, figure }) => row === "debate" && figure === "2.2e+7 tokens") as LedgerRow;
  expect(verdictsOf(tokens, samples("debate", "gsm8k", 9, 50, 22e6 / 1319))).toEqual(["compatible"]);
  expect(verdictsOf(tokens, samples("debate", "gsm8k", 9, 50, 15_000))).toEqual(["different"]);
  expect(verdictsOf(tokens, samples("debate", "gsm8k", 9, 19, 15_000))).toEqual(["too few questions"]);
});

test("departures of a run name both values, and what is not published", () => {
  const published = { model: "gpt-4", team: null, "training benchmark": "gsm8k" };
  expect(departuresOf({ published }, { model: "tiny", team: "star", "training benchmark": "gsm8k" })).toEqual([
    "Model differs: tiny, published gpt-4.",
    "Team is not published; ours: star.",
  ]);
});

test("a checkpoint of another work is a separate actor", () => {
  expect(agentPoTable("Prime-Zero").methods).toEqual(["vanilla"]);
});

test("two shares: the tests equal scipy's chi-square without correction, and its Fisher test", () => {
  expect(sameShare(0.8, 100, 0.9, 100)).toBeCloseTo(0.04767, 4);
  expect(sameShare(0.5, 10, 0.5, 1000)).toBeCloseTo(1, 6);
  expect(sameShare(1, 5, 1, 9)).toBe(1);
  // fisher_exact([[8, 2], [1, 5]]) of scipy's documentation
  expect(sameShareExactly(8, 10, 1, 6)).toBeCloseTo(0.035, 4);
});
