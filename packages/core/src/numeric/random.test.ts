import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { randomFromSeed, randomFromState, type Random, type RandomState } from "../index.ts";

const word = 2 ** 32;
const draw = <T>(count: number, next: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => next(i));

/** Pearson's statistic of values in [0, 1) over equal bins; its mean is bins - 1, its variance twice that. */
function chiSquare(values: readonly number[], bins: number): number {
  const counts = Array.from({ length: bins }, () => 0);
  for (const value of values) counts[Math.floor(value * bins)]! += 1;
  const expected = values.length / bins;
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function correlation(x: readonly number[], y: readonly number[]): number {
  const [mx, my] = [mean(x), mean(y)];
  const covariance = mean(x.map((value, i) => (value - mx) * ((y[i] as number) - my)));
  return covariance / Math.sqrt(mean(x.map((v) => (v - mx) ** 2)) * mean(y.map((v) => (v - my) ** 2)));
}

describe("known answers", () => {
  // Outputs of the reference C program xoshiro128starstar.c (prng.di.unimi.it), compiled and run.
  test.each<[RandomState, number[], RandomState]>([
    [
      [1, 2, 3, 4],
      [11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849, 3729100597, 4258142804],
      [939045227, 1864939416, 1451579149, 2199351389],
    ],
    [
      [0xffffffff, 0x12345678, 0x9abcdef0, 0x0f1e2d3c],
      [2576977301, 4294964986, 3347982300, 1292384487, 1693057096],
      [546895757, 2021823316, 1296774996, 2085903915],
    ],
  ])("continues from state %j", (state, outputs, after) => {
    const random = randomFromState(state);
    expect(draw(outputs.length, () => random.uniform() * word)).toEqual(outputs);
    expect(random.state()).toEqual(after);
  });

  // From a separate implementation in Python with unbounded integers.
  test("continues from a seed and from its split", () => {
    expect(randomFromSeed("laconic").state()).toEqual([1425226014, 2120206103, 2914867366, 4112994630]);
    const random = randomFromSeed(1);
    expect(random.state()).toEqual([3969301975, 4261371604, 1261440736, 1413313522]);
    expect(random.split("a").state()).toEqual([265756888, 3748947291, 2950541647, 887578226]);
    expect(draw(3, () => random.uniform() * word)).toEqual([4057310794, 3882383081, 4160373287]);
  });

  test("normal values are Box-Muller of two uniform ones", () => {
    const random = randomFromState([1, 2, 3, 4]);
    draw(2, () => random.uniform());
    const expected = [0.052271983331831876, -0.8309608334408461, 0.5762446101470774];
    draw(3, () => random.normal()).forEach((value, i) => expect(value).toBeCloseTo(expected[i] as number, 14));
  });

  test("a seed is its text: 1 and '1' start equal streams, 1 and 2 do not", () => {
    expect(randomFromSeed(1).state()).toEqual(randomFromSeed("1").state());
    expect(randomFromSeed(1).state()).not.toEqual(randomFromSeed(2).state());
  });

  test("the all-zero state, a fixed point, is left at once", () => {
    const random = randomFromState([0, 0, 0, 0]);
    expect(new Set(draw(20, () => random.uniform())).size).toBeGreaterThan(10);
  });
});

const streams: readonly [string, (count: number) => number[]][] = [
  ["one stream", (count) => draw(count, sequence(randomFromSeed("stream")))],
  ["first values of seeds 0, 1, 2, ...", (count) => draw(count, (seed) => randomFromSeed(seed).uniform())],
  ["first values of splits 0, 1, 2, ...", (count) => draw(count, splits(randomFromSeed("parent")))],
  ["first values of splits turn:0, turn:1, ...", (count) => draw(count, splits(randomFromSeed("parent"), "turn:"))],
  ["first values of nested splits", (count) => draw(count, nested(randomFromSeed("root")))],
];

function sequence(random: Random): () => number {
  return () => random.uniform();
}
function splits(random: Random, prefix = ""): (i: number) => number {
  return (i) => random.split(`${prefix}${i}`).uniform();
}
function nested(random: Random): (i: number) => number {
  return (i) =>
    random
      .split(Math.floor(i / 100))
      .split(i % 100)
      .uniform();
}

describe.each(streams)("%s", (_, values) => {
  const drawn = values(40_000);

  test("are uniform: chi-square over 256 bins within 5 standard deviations", () => {
    expect(Math.abs(chiSquare(drawn, 256) - 255) / Math.sqrt(510)).toBeLessThan(5);
  });

  test("are uniform in their low bits too", () => {
    const low = drawn.map((value) => (value * 2 ** 24) % 1);
    expect(Math.abs(chiSquare(low, 256) - 255) / Math.sqrt(510)).toBeLessThan(5);
  });

  test("do not follow each other", () => {
    expect(Math.abs(correlation(drawn.slice(0, -1), drawn.slice(1)))).toBeLessThan(5 / Math.sqrt(drawn.length));
  });
});

test("streams of neighbouring labels, and parent and child, are uncorrelated", () => {
  const parent = randomFromSeed(7);
  const [a, b] = ["a", "b"].map((label) => draw(20_000, sequence(parent.split(label))));
  const own = draw(20_000, sequence(parent));
  for (const pair of [
    [a, b],
    [a, own],
    [b, own],
  ] as [number[], number[]][])
    expect(Math.abs(correlation(...pair))).toBeLessThan(5 / Math.sqrt(20_000));
});

test("100,000 splits start 100,000 streams", () => {
  const random = randomFromSeed("many");
  expect(new Set(draw(100_000, (i) => random.split(i).state().join())).size).toBe(100_000);
});

test("a split moves nothing and depends on position and label alone", () => {
  const random = randomFromSeed(3);
  const before = random.state();
  const child = random.split("child").state();
  random.split("other").uniform();
  expect(random.state()).toEqual(before);
  expect(random.split("child").state()).toEqual(child);
  random.uniform();
  expect(random.split("child").state()).not.toEqual(child);
});

test("a stored state, through JSON, continues the stream", () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(50), (seed, drawn) => {
      const random = randomFromSeed(seed);
      draw(drawn, () => random.uniform());
      const copy = randomFromState(JSON.parse(JSON.stringify(random.state())) as RandomState);
      expect(draw(5, () => copy.uniform())).toEqual(draw(5, () => random.uniform()));
      expect(copy.state()).toEqual(random.state());
    }),
    { seed: 1, numRuns: 100 },
  );
});

test("normal values have mean 0, variance 1, kurtosis 3", () => {
  const random = randomFromSeed("normal");
  const values = draw(100_000, () => random.normal());
  const moment = (power: number): number => mean(values.map((value) => value ** power));
  expect(Math.abs(moment(1))).toBeLessThan(5 / Math.sqrt(1e5));
  expect(Math.abs(moment(2) - 1)).toBeLessThan(5 * Math.sqrt(2 / 1e5));
  expect(Math.abs(moment(3))).toBeLessThan(5 * Math.sqrt(15 / 1e5));
  expect(Math.abs(moment(4) - 3)).toBeLessThan(5 * Math.sqrt(96 / 1e5));
});

const letters = ["a", "b", "c"] as const;
const orders = ["abc", "acb", "bac", "bca", "cab", "cba"];

test.each<[string, number, (random: Random) => number]>([
  ["integer", 6, (random) => random.integer(6)],
  ["pick", 3, (random) => letters.indexOf(random.pick(letters))],
  ["shuffle", 6, (random) => orders.indexOf(random.shuffle(letters).join(""))],
])("%s gives each of %i results evenly", (name, count, one) => {
  const random = randomFromSeed(name);
  const drawn = draw(60_000, () => one(random));
  expect(new Set(drawn)).toEqual(new Set(draw(count, (i) => i)));
  const spread = drawn.map((value) => value / count);
  expect(chiSquare(spread, count)).toBeLessThan(count - 1 + 5 * Math.sqrt(2 * (count - 1)));
  expect(letters).toEqual(["a", "b", "c"]);
});

test("pick refuses an empty list", () => {
  expect(() => randomFromSeed("pick").pick([])).toThrow(RangeError);
});

test("a seed that is not a finite number is refused", () => {
  for (const seed of [NaN, Infinity]) expect(() => randomFromSeed(seed)).toThrow("finite number");
});
