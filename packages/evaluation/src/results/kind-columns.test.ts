import { expect, test } from "vitest";
import { summarise } from "../index.ts";
import type { SampleRecord } from "../sample-record.ts";
import { spendingOf } from "../bench-parts.ts";
import { run, temporary } from "../../test/bench-run.ts";
import { modelTable, tokenTable } from "./tables.ts";

const call = (agent: string, more: object = {}) => ({
  turn: 0,
  round: 0,
  agent,
  promptTokens: 1000,
  writtenTokens: 510,
  reads: [],
  ...more,
});
const model = { id: "main", complete: () => Promise.reject(new Error("not asked")) };
const thinks = { cachedTokens: 400, cacheWriteTokens: 100, reasoningTokens: 500 };
const price = { prompt: 1, cached: 0.1, cacheWrite: 2, completion: 10, reasoning: 20 };

test("spending is of token kinds, by model, and never below the server's cost", () => {
  const other = { model: { ...model, id: "other" }, price: null };
  const parts = { model, price, roleModels: { judge: other } };
  const calls = [call("solver", thinks), call("solver"), call("judge", { costUsd: 0.5 })];
  const { usd, byModel } = spendingOf({ calls }, {}, parts);
  const [first, second] = [500 + 40 + 200 + 10 * 10 + 500 * 20, 1000 + 5100].map((value) => value / 1e6);
  expect(byModel[0]).toEqual({
    model: "main",
    calls: 2,
    promptTokens: 2000,
    completionTokens: 1020,
    ...thinks,
    usd: (first ?? 0) + (second ?? 0),
  });
  expect(byModel[1]).toEqual({
    model: "other",
    calls: 1,
    promptTokens: 1000,
    completionTokens: 510,
    costUsd: 0.5,
    usd: 0.5,
  });
  expect(usd).toBeCloseTo((first ?? 0) + (second ?? 0) + 0.5, 12);
  expect(spendingOf({ calls: [call("judge")] }, {}, parts).usd).toBeNull();
});

test("tables have a column of each kind that is reported, and no other", async () => {
  const { records } = await run(await temporary());
  const shares = ["a", "b"].map((name) => ({ model: name, calls: 1, promptTokens: 9, completionTokens: 9, usd: null }));
  const plain = records.map((record): SampleRecord => ({ ...record, byModel: shares }));
  const kinds = (changed: readonly SampleRecord[]): (string | undefined)[][] =>
    [tokenTable(summarise(changed), String), modelTable(summarise(changed), String)].map(
      (table) => table?.columns.filter((column) => /cache|reasoning/u.test(column)) ?? [],
    );
  expect(kinds(plain)).toEqual([[], []]);
  const [first, ...rest] = plain as [SampleRecord, ...SampleRecord[]];
  const told = [
    { ...first, reasoningTokens: 500, byModel: shares.map((share) => ({ ...share, cachedTokens: 4 })) },
    ...rest,
  ];
  expect(kinds(told)).toEqual([["reasoning / question"], ["cached"]]);
  const table = tokenTable(summarise(told), String);
  const index = table.columns.indexOf("reasoning / question");
  const { scored } = summarise(told)[0] as { scored: number };
  expect(Number(table.rows[0]?.[index])).toBeCloseTo(500 / scored, 0);
});
