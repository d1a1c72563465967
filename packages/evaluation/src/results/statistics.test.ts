import { randomFromSeed } from "@laconic/core";
import { describe, expect, test } from "vitest";
import { clusteredWilson, holm, meanEstimate, pairedDifference, wilson } from "./statistics.ts";

type Pair = readonly [number, number];

describe("statistics", () => {
  test.for([
    [0, 10, 0, 0.2775],
    [10, 10, 0.7225, 1],
    [5, 10, 0.2366, 0.7634],
    [81, 263, 0.2553, 0.3662], // Newcombe 1998, table I
  ] as const)("Wilson's interval of %i of %i is %f to %f", ([k, n, low, high]) => {
    const interval = wilson(k, n);
    expect([interval?.value, interval?.low, interval?.high]).toBeAllclose([k / n, low, high], { absolute: 5e-5 });
  });
  test("without trials there is no interval", () =>
    expect([wilson(0, 0), clusteredWilson([]), pairedDifference([[]], "amount")]).toEqual([null, null, null]));
  test("the interval of a difference holds its mean, is that of the normal where there is much data, and repeats", () => {
    const pairs = Array.from({ length: 400 }, (_, i): Pair => [i % 2, i % 4 === 0 ? 1 : 0]);
    const first = pairedDifference([pairs], "difference");
    const spread = Math.sqrt(pairs.reduce((sum, [a, b]) => sum + (a - b - 0.25) ** 2, 0)) / 400;
    expect(first?.value).toBe(0.25);
    expect(first?.low).toBeCloseTo(0.25 - 1.96 * spread, 2);
    expect(first?.high).toBeCloseTo(0.25 + 1.96 * spread, 2);
    expect(pairedDifference([pairs], "difference")).toEqual(first);
  });
  test("the interval over several runs includes differences of runs, which pooled questions hide", () => {
    const run = (difference: number): Pair[] => Array.from({ length: 200 }, (_, i) => [difference + (i % 2), 0.5]);
    const of = (runs: readonly (readonly Pair[])[]): ReturnType<typeof pairedDifference> =>
      pairedDifference(runs, "amount");
    const runs = [run(-0.3), run(0), run(0.3)];
    const [over, pooled] = [of(runs), of([runs.flat()])];
    expect(over?.value).toBeCloseTo(0, 12);
    expect(pooled?.value).toBeCloseTo(0, 12);
    expect(pooled?.high).toBeLessThan(0.1);
    expect(over?.high).toBeCloseTo(4.302653 * (0.3 / Math.sqrt(3)), 5); // Student's t at 0.975 with 2 degrees of freedom
    expect(of([run(0.1)])).toEqual(of([run(0.1), []]));
  });
});

describe("few values, and equal ones", () => {
  const equal = (value: number, n: number): number[] => Array.from({ length: n }, () => value);
  test.each([
    // The ends for equal values are those of Clopper and Pearson (1934): 1 - 0.025 ** (1 / n).
    [[[1]], "share", [0.025, 1]],
    [[[0]], "share", [0, 0.975]],
    [[equal(1, 20)], "share", [0.8316, 1]],
    [[equal(0, 400)], "difference", [-0.0092, 0.0092]],
    [[equal(0, 20), equal(0, 20)], "difference", [-0.1684, 0.1684]],
    [[[1]], "difference", [-0.95, 1]],
    [[equal(1, 5)], "difference", [-0.0436, 1]],
    // Student's t at 0.975 with 1 and 2 degrees of freedom: 12.7062 and 4.3027.
    [[[10, 20]], "amount", [-48.531, 78.531]],
    [[[0], [3], [6]], "amount", [-4.4524, 10.4524]],
    [[[7]], "amount", [null, null]],
    [[equal(0.1, 3)], "amount", [null, null]],
    [[equal(14, 500)], "amount", [null, null]],
    // Scores beyond shares have no bounds.
    [[[1.5]], "share", [null, null]],
  ] as const)("%j as %s: the ends are %j", (samples, kind, ends) => {
    const estimate = meanEstimate(samples, kind);
    const shown = [estimate?.low, estimate?.high].map((end) =>
      typeof end === "number" ? Number(end.toFixed(4)) : end,
    );
    expect(shown).toEqual(ends);
  });
});

describe("intervals of 95 % hold the true mean", () => {
  const steps = [0, 0.005, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98, 0.995, 1];
  test.each([1, 2, 5, 20])(
    "intervals cover shares and differences of %i questions, also near 0 and 1, by enumeration",
    (n) => {
      const outcomes = Array.from({ length: n + 1 }, (_, gains) =>
        Array.from({ length: n + 1 - gains }, (__, losses) => {
          const values = Array.from({ length: n }, (___, i) => (i < gains ? 1 : i < gains + losses ? -1 : 0));
          return { gains, losses, values };
        }),
      ).flat();
      const factorial = (k: number): number => (k < 2 ? 1 : k * factorial(k - 1));
      for (const kind of ["share", "difference"] as const) {
        const known = outcomes
          .filter(({ losses }) => kind === "difference" || losses === 0)
          .map(({ gains, losses, values }) => ({ gains, losses, estimate: meanEstimate([values], kind) }));
        for (const gain of steps)
          for (const loss of kind === "share" ? [0] : steps.filter((step) => gain + step <= 1)) {
            const held = known.reduce((sum, { gains, losses, estimate }) => {
              const { low = null, high = null } = estimate ?? {};
              if (Number(low) > gain - loss + 1e-12 || Number(high) < gain - loss - 1e-12) return sum;
              const rest = n - gains - losses;
              const ways = factorial(n) / factorial(gains) / factorial(losses) / factorial(rest);
              return sum + ways * gain ** gains * loss ** losses * (1 - gain - loss) ** rest;
            }, 0);
            expect(held, `${kind}, gain ${gain}, loss ${loss}`).toBeGreaterThan(0.95);
          }
      }
    },
  );
  const random = randomFromSeed("coverage");
  const draw = (gain: number, loss: number): number => {
    const u = random.uniform();
    return u < gain ? 1 : u < gain + loss ? -1 : 0;
  };
  const repeated = (): number => [0, 1, 2, 3].reduce((sum) => sum + draw(0.3, 0.09) / 4, 0);
  const tokens = (): number => Math.round(10 * (random.uniform() + random.uniform() + random.uniform() - 1.5));
  test.each([
    ["means of four repeats", "difference", 5, 0.21, repeated],
    ["means of four repeats", "difference", 20, 0.21, repeated],
    ["one in twenty", "difference", 400, 0.01, () => draw(0.03, 0.02)],
    ["one in three", "difference", 60, 0.2, () => draw(0.3, 0.1)],
    ["tokens", "amount", 2, 0, tokens],
    ["tokens", "amount", 5, 0, tokens],
    ["tokens", "amount", 60, 0, tokens],
  ] as const)("the share holds for %s as %s, n = %i, in a simulation", (_, kind, n, truth, value) => {
    const worlds = 300;
    const held = Array.from({ length: worlds }, () => {
      const { low = null, high = null } = meanEstimate([Array.from({ length: n }, value)], kind) ?? {};
      // An interval that is not estimable claims nothing.
      return (low ?? -Infinity) <= truth && truth <= (high ?? Infinity);
    }).filter(Boolean);
    expect(held.length / worlds).toBeGreaterThan(0.93);
  });
  // Runs differ by more than chance over their questions: each has a shift of its own, sd 0.06, as seeds of a training do.
  const normal = (): number =>
    Math.sqrt(-2 * Math.log(1 - random.uniform())) * Math.cos(2 * Math.PI * random.uniform());
  test.each([
    [2, "difference", 100],
    [3, "difference", 100],
    [3, "difference", 10],
    [5, "difference", 100],
    [10, "difference", 100],
    [3, "amount", 100],
    [10, "amount", 100],
  ] as const)("the share holds for %i runs as %s, %i questions each, in a simulation", (count, kind, questions) => {
    const worlds = 1000;
    const scale = kind === "amount" ? 10 : 1;
    const run = (): number[] => {
      const shift = 0.06 * normal();
      return Array.from({ length: questions }, () => scale * draw(0.3 + shift, 0.2));
    };
    const held = Array.from({ length: worlds }, () => {
      const { low = null, high = null } = meanEstimate(Array.from({ length: count }, run), kind) ?? {};
      return (low ?? -Infinity) <= scale * 0.1 && scale * 0.1 <= (high ?? Infinity);
    }).filter(Boolean);
    expect(held.length / worlds).toBeGreaterThan(0.93);
  });
});

describe("Holm's correction", () => {
  test("multiplies the least by all comparisons, keeps the order, and skips untested rows", () => {
    // Holm 1979; as R's p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm").
    expect(holm([0.01, 0.04, null, 0.03, 0.005])).toEqual([0.03, 0.06, null, 0.06, 0.02]);
    expect(holm([0.6, 0.7])).toEqual([1, 1]);
  });
  test("twenty comparisons without a difference have one below 0.05 in about 5 of 100 tables", () => {
    const random = randomFromSeed("holm");
    const tables = 2000;
    const wrong = Array.from({ length: tables }, () =>
      holm(Array.from({ length: 20 }, () => random.uniform())).some((p) => p !== null && p < 0.05),
    ).filter(Boolean).length;
    expect(wrong / tables).toBeGreaterThan(0.03);
    expect(wrong / tables).toBeLessThan(0.06);
  });
});
