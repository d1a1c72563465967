import { expect, test } from "vitest";
import { publishedCells } from "../published.ts";
import { sameShare } from "./compatible.ts";
import { playedTable, reproductionLedger } from "./ledger.ts";

test("every figure of Agent-GSPO's tables has a row, and a faithful one names the texts that it needs", () => {
  const rows = reproductionLedger();
  const gspo = rows.filter(({ paper }) => paper === "agent-gspo");
  expect(gspo).toHaveLength(publishedCells().length);
  expect(gspo.filter(({ place }) => place === "Table 1")).toHaveLength(9 * 7);
  const faithful = rows.filter(({ differs }) => differs === "");
  expect(faithful.length).toBeGreaterThan(0);
  expect(faithful.filter(({ exemplars }) => exemplars === null)).toEqual([]);
  const cot = gspo.find(({ row, benchmark }) => row === "cot" && benchmark === "gsm8k");
  expect(cot).toMatchObject({ exemplars: "cot-word", n: 1319, calls: 1319, differs: "", figure: "87.17 %" });
});

test("a table's methods are played once each, without the one that is trained", () => {
  expect(playedTable("2")).toEqual({
    benchmarks: ["mmlu-153", "gsm8k"],
    methods: ["vanilla:agentprune-direct", "php", "debate", "dylan"],
  });
});

test("two shares: as scipy's chi-square of the 2 x 2 table without correction", () => {
  expect(sameShare(0.8, 100, 0.9, 100)).toBeCloseTo(0.04767, 4);
  expect(sameShare(0.5, 10, 0.5, 1000)).toBeCloseTo(1, 6);
  expect(sameShare(1, 5, 1, 9)).toBe(1);
});
