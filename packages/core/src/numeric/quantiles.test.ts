import { expect, test } from "vitest";
import { studentTest, betaQuantile, studentQuantile, studentTails } from "./intervals.ts";

test("a quantile of Student's t is the one of published tables, for 1 and 2 degrees in closed form", () => {
  const table = { 3: 3.182446, 5: 2.570582, 10: 2.228139, 30: 2.042272, 120: 1.97993 };
  for (const [freedom, value] of Object.entries(table))
    expect(studentQuantile(0.975, Number(freedom))).toBeCloseTo(value, 5);
  for (const p of [0.6, 0.9, 0.975, 0.9995]) {
    expect([studentQuantile(p, 1)]).toBeAllclose([Math.tan(Math.PI * (p - 0.5))], { relative: 1e-9 });
    expect([studentQuantile(p, 2)]).toBeAllclose([(2 * p - 1) / Math.sqrt(2 * p * (1 - p))], { relative: 1e-9 });
  }
  expect(studentQuantile(0.975, 1e6)).toBeCloseTo(1.959964, 4);
});

test("the tails beyond a quantile have the rest of the probability, whatever the sign", () => {
  for (const freedom of [1, 2, 2.5, 9, 120])
    for (const p of [0.6, 0.975, 0.9999]) {
      const t = studentQuantile(p, freedom);
      expect([studentTails(t, freedom), studentTails(-t, freedom)]).toBeAllclose([2 - 2 * p, 2 - 2 * p], {
        relative: 1e-7,
      });
    }
  expect(studentTails(0, 5)).toBe(1);
});

test("the test of paired differences equals Student 1908 (sleep, 10 patients) and skips equal values", () => {
  const sleep = [1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4];
  expect(studentTest(sleep)).toBeCloseTo(0.00283289, 8); // scipy.stats.ttest_1samp
  expect([studentTest([3, 3, 3]), studentTest([3])]).toEqual([null, null]);
});

test.each([
  [1, 7],
  [3, 18],
  [20, 1],
  [150, 251],
  [4, 9997],
])("a quantile of Beta(%i, %i) is where the binomial tail has the probability", (a, b) => {
  const n = a + b - 1;
  for (const probability of [0.0125, 0.025, 0.5, 0.975]) {
    const p = betaQuantile(probability, a, b);
    let [term, tail] = [n * Math.log1p(-p), 0]; // P(at least a of n), by its terms
    for (let k = 0; k <= n; k++) {
      if (k >= a) tail += Math.exp(term);
      term += Math.log((n - k) / (k + 1)) + Math.log(p) - Math.log1p(-p);
    }
    expect([tail]).toBeAllclose([probability], { relative: 1e-7 });
  }
});

test("quantiles of Beta(1/2, 1/2) follow the arcsine law", () => {
  for (const p of [0.001, 0.2, 0.5, 0.99])
    expect([betaQuantile(p, 0.5, 0.5)]).toBeAllclose([Math.sin((Math.PI * p) / 2) ** 2], { relative: 1e-9 });
});
