import { describe, expect, test } from "vitest";
import { clusteredWilson, pairedBootstrap, pairedBootstrapOverRuns, wilson } from "./statistics.ts";

describe("statistics", () => {
  test.for([
    [0, 10, 0, 0.2775],
    [10, 10, 0.7225, 1],
    [5, 10, 0.2366, 0.7634],
    [81, 263, 0.2553, 0.3662], // Newcombe 1998, table I
  ] as const)("Wilson's interval of %i of %i is %f to %f", ([k, n, low, high]) => {
    const found = wilson(k, n);
    expect([found?.value, found?.low, found?.high]).toBeAllclose([k / n, low, high], { absolute: 5e-5 });
  });
  test("without trials there is no interval", () =>
    expect([wilson(0, 0), clusteredWilson([]), pairedBootstrap([])]).toEqual([null, null, null]));
  test("the bootstrap's interval holds its mean, is that of the normal where there is much data, and repeats", () => {
    const pairs = Array.from({ length: 400 }, (_, i) => [i % 2, i % 4 === 0 ? 1 : 0] as const);
    const first = pairedBootstrap(pairs);
    const spread = Math.sqrt(pairs.reduce((sum, [a, b]) => sum + (a - b - 0.25) ** 2, 0)) / 400;
    expect(first?.value).toBe(0.25);
    expect(first?.low).toBeCloseTo(0.25 - 1.96 * spread, 2);
    expect(first?.high).toBeCloseTo(0.25 + 1.96 * spread, 2);
    expect(pairedBootstrap(pairs)).toEqual(first);
  });
  test("over several runs the interval holds what differs between runs, which pooling their questions hides", () => {
    const run = (difference: number): (readonly [number, number])[] =>
      Array.from({ length: 200 }, (_, i) => [difference + (i % 2), 0.5] as const);
    const runs = [run(-0.3), run(0), run(0.3)];
    const over = pairedBootstrapOverRuns(runs);
    const pooled = pairedBootstrap(runs.flat());
    expect(over?.value).toBeCloseTo(0, 12);
    expect(pooled?.value).toBeCloseTo(0, 12);
    expect(pooled?.high).toBeLessThan(0.1);
    expect(over?.high).toBeGreaterThan(0.25); // one draw in 27 is the best run three times
    expect(pairedBootstrapOverRuns([run(0.1)])).toEqual(pairedBootstrap(run(0.1)));
    expect(pairedBootstrapOverRuns([run(0), []])?.value).toBe(0);
    expect(pairedBootstrapOverRuns([[]])).toBeNull();
  });
});
