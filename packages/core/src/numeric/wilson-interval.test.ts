import { expect, test } from "vitest";
import { randomFromSeed } from "./random.ts";
import { clusteredWilsonInterval, wilsonInterval } from "./intervals.ts";

const z = 1.959963984540054;

test("Wilson's interval ends where a true proportion would be z standard errors off", () => {
  for (const [right, n] of [
    [5, 10],
    [1, 50],
    [7.5, 30],
    [199, 200],
  ] as const)
    for (const p of wilsonInterval(right, n))
      expect(Math.abs(right / n - p)).toBeCloseTo(z * Math.sqrt((p * (1 - p)) / n), 12);
  // The textbook's 5 of 10.
  expect(wilsonInterval(5, 10)).toBeAllclose([0.2366, 0.7634], { absolute: 1e-4 });
});

test("the interval is defined without a success, a failure or a trial", () => {
  const edge = (z * z) / (10 + z * z); // 0.2775
  expect(wilsonInterval(0, 10)).toBeAllclose([0, edge], { absolute: 1e-12 });
  expect(wilsonInterval(10, 10)).toBeAllclose([1 - edge, 1], { absolute: 1e-12 });
  expect(wilsonInterval(0, 0)).toEqual([0, 1]);
});

test("trials of one question each are independent, and repeats that all agree add nothing", () => {
  const once = Array.from({ length: 40 }, (_, i) => ({ successes: i < 13 ? 1 : 0, trials: 1 }));
  expect(clusteredWilsonInterval(once)).toBeAllclose(wilsonInterval(13, 40), { absolute: 1e-12 });
  const agreeing = once.map(({ successes }) => ({ successes: 8 * successes, trials: 8 }));
  expect(clusteredWilsonInterval(agreeing)).toBeAllclose(wilsonInterval(13, 40), { absolute: 1e-12 });
  expect(clusteredWilsonInterval(agreeing.map(() => ({ successes: 8, trials: 8 })))).toEqual(wilsonInterval(40, 40));
  // Questions that disagree with themselves as coins do: all trials count.
  const coins = once.map(() => ({ successes: 4, trials: 8 }));
  expect(clusteredWilsonInterval(coins)).toEqual(wilsonInterval(160, 320));
  expect(clusteredWilsonInterval([{ successes: 0, trials: 0 }])).toEqual([0, 1]);
});

test("repeats of one question are one trial, whatever they answer", () => {
  for (const successes of [0, 3, 8])
    expect(clusteredWilsonInterval([{ successes, trials: 8 }])).toEqual(wilsonInterval(successes / 8, 1));
});

test.each([2, 5, 60])(
  "%i questions: the interval by question covers the true share where the plain one does not",
  (questions) => {
    const random = randomFromSeed("coverage");
    const [worlds, repeats] = [2000, 8];
    const held = { clustered: 0, plain: 0 };
    for (let world = 0; world < worlds; world++) {
      // Some questions are easy and some are hard: 0.9 and 0.2 right, half of each, so 0.55 in all.
      const clusters = Array.from({ length: questions }, () => {
        const p = random.uniform() < 0.5 ? 0.9 : 0.2;
        const successes = Array.from({ length: repeats }, () => random.uniform() < p).filter(Boolean).length;
        return { successes, trials: repeats };
      });
      const right = clusters.reduce((sum, { successes }) => sum + successes, 0);
      const holds = ([low, high]: readonly [number, number]): number => Number(low <= 0.55 && 0.55 <= high);
      held.clustered += holds(clusteredWilsonInterval(clusters));
      held.plain += holds(wilsonInterval(right, questions * repeats));
    }
    // Wilson's interval of two trials holds less often than 95 times in 100 for some shares.
    expect(held.clustered / worlds).toBeGreaterThan(questions > 2 ? 0.93 : 0.9);
    expect(held.clustered / worlds).toBeLessThan(0.97);
    expect(held.plain / worlds).toBeLessThan(0.75);
  },
);
