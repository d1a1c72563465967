import { expect, test } from "vitest";
import { ledgerTotals, randomFromSeed, type Ledger } from "../index.ts";
import { broadcastAmplification, criticalPath, criticalSeconds, silenceRates, sumLedgers } from "./index.ts";

const call = (turn: number, round: number, agent: string, writtenTokens: number, reads: readonly number[] = []) => ({
  turn,
  round,
  agent,
  promptTokens: 10,
  writtenTokens,
  reads: reads.map((from) => ({ from: `a${from}`, turn: from, tokens: 2 })),
});

test("two that speak at once cost the longer one; who reads waits", () => {
  expect(criticalPath({ calls: [call(0, 0, "a", 5), call(1, 0, "b", 9)] })).toEqual({ calls: 1, writtenTokens: 9 });
  expect(criticalPath({ calls: [call(0, 0, "a", 5), call(1, 0, "b", 9), call(2, 0, "c", 6, [0])] })).toEqual({
    calls: 2,
    writtenTokens: 11,
  });
  expect(criticalPath({ calls: [call(0, 0, "a", 5), call(1, 0, "b", 9), call(2, 1, "a", 4)] }).writtenTokens).toBe(13);
  expect(criticalPath({ calls: [] })).toEqual({ calls: 0, writtenTokens: 0 });
});

test("seconds add up along a separate path; an untimed call leaves none", () => {
  const timed = [
    { ...call(0, 0, "a", 50), seconds: 1 },
    { ...call(1, 0, "b", 1), seconds: 4 },
    { ...call(2, 0, "c", 6, [0]), seconds: 2 },
  ];
  expect(criticalSeconds({ calls: timed })).toBe(4);
  expect(criticalSeconds({ calls: [...timed, { ...call(3, 1, "a", 1), seconds: 0.5 }] })).toBe(4.5);
  expect(criticalSeconds({ calls: [...timed, call(3, 1, "a", 1)] })).toBeNull();
});

test("amplification is tokens read per token that has a reader", () => {
  expect(
    broadcastAmplification({ calls: [call(0, 0, "a", 3), call(1, 0, "b", 3, [0]), call(2, 0, "c", 3, [0])] }),
  ).toBe(2);
  expect(broadcastAmplification({ calls: [call(0, 0, "a", 3)] })).toBeNull();
});

test("silence is counted by agent", () => {
  expect(
    silenceRates([
      { agent: "a", silent: true },
      { agent: "a", silent: false },
      { agent: "b", silent: false },
    ]),
  ).toEqual({ a: 0.5, b: 0 });
});

test("on random ledgers, paths are within the longest call and all written tokens, and sums agree", () => {
  const random = randomFromSeed(5);
  for (let i = 0; i < 300; i++) {
    const ledger: Ledger = {
      calls: Array.from({ length: 1 + random.integer(12) }, (_, turn) =>
        call(
          turn,
          Math.floor(turn / 3),
          random.pick(["a", "b", "c"]),
          1 + random.integer(20),
          turn > 0 && random.uniform() < 0.5 ? [random.integer(turn)] : [],
        ),
      ),
    };
    const [totals, path] = [ledgerTotals(ledger), criticalPath(ledger)];
    expect(path.writtenTokens).toBeLessThanOrEqual(totals.writtenTokens);
    expect(path.writtenTokens).toBeGreaterThanOrEqual(
      Math.max(...ledger.calls.map(({ writtenTokens }) => writtenTokens)),
    );
    expect(broadcastAmplification(ledger) ?? 1).toBeGreaterThanOrEqual(1);
    expect(sumLedgers([ledger, ledger]).promptTokens).toBe(2 * totals.promptTokens);
  }
});
