import { describe, expect, test } from "vitest";
import { transitionPhrases, writingReward } from "./writing-reward.ts";

const words = (count: number, prefix: string): string =>
  Array.from({ length: count }, (_, i) => `${prefix}${i}`).join(" ");

describe("tldr", () => {
  test("too short or too long a text earns nothing", () => {
    expect(writingReward("tldr", words(7, "a"), words(20, "b"))).toEqual({
      reward: 0,
      terms: { length: 0, ratio: 0, words: 0, style: 0 },
      style: { overlap: 0, transitions: 0 },
      stoppedAt: "length",
    });
    expect(writingReward("tldr", words(20, "a"), words(257, "b")).stoppedAt).toBe("length");
  });
  test("a second text that is too like the first in length keeps the first level alone", () => {
    expect(writingReward("tldr", words(20, "a"), words(20, "b"))).toMatchObject({ reward: 0.5, stoppedAt: "ratio" });
    expect(writingReward("tldr", words(10, "a"), words(200, "b"))).toMatchObject({ reward: 0.5, stoppedAt: "ratio" });
  });
  test.for([
    [1.1, 0],
    [1.35, 0.5],
    [1.6, 1],
    [3.2, 1],
    [4.1, 0.5],
    [5, 0],
  ] as const)("a ratio of %f earns %f", ([ratio, value]) => {
    const first = `${words(9, "a")} `.padEnd(100, "x");
    const second = `${words(99, "b").slice(0, Math.round(100 * ratio) - 10)} `.padEnd(Math.round(100 * ratio), "y");
    expect(writingReward("tldr", first, second).terms.ratio).toBeCloseTo(value, 6);
  });
  test("repetition in the second text fails the words' level", () => {
    const first = words(10, "a");
    const second = Array.from({ length: 3 }, () => first).join(" ");
    expect(writingReward("tldr", first, second)).toMatchObject({
      terms: { length: 0.5, ratio: 1, words: 0 },
      stoppedAt: "words",
    });
  });
  test("all levels: overlap counts up to 0.03, transitions by kind", () => {
    const first = words(10, "a");
    const plain = writingReward("tldr", first, words(24, "b"));
    expect(plain).toMatchObject({ reward: 2, stoppedAt: null, terms: { style: 0 } });
    const joined = writingReward("tldr", first, `${words(16, "b")} a1 however a2 therefore`);
    expect(joined.terms.style).toBeCloseTo(0.4 * 0.45 + 0.6, 6);
    expect(joined.style.transitions).toBeCloseTo(0.4 * 0.45, 6);
    expect(joined.style.overlap).toBeCloseTo(0.6, 6);
  });
  test("the maximum is 2.98 with every kind of transition", () => {
    const all = Object.values(transitionPhrases)
      .map(([phrase]) => phrase)
      .join(" ");
    const first = words(30, "a");
    const second = `${first} ${all} ${words(31, "b")}`;
    expect(writingReward("tldr", first, second).reward).toBeCloseTo(2.98, 6);
  });
});

test("a phrase inside a word does not count in strict mode", () => {
  const [first, second] = [words(10, "x"), `${words(26, "y")} something gifted`];
  expect(writingReward("tldr", first, second).terms.style).toBeGreaterThan(0);
  expect(writingReward("tldr", first, second, { strict: true }).terms.style).toBe(0);
});

test("arxiv: texts are longer, with other bands and all transitions", () => {
  const [first, second] = [words(140, "a"), words(190, "b")];
  const reward = writingReward("arxiv", `${first} however`, second);
  expect(reward).toMatchObject({ stoppedAt: null, terms: { length: 0.5, ratio: 1 } });
  expect(reward.terms.style).toBeCloseTo(0.4 * 0.4, 6);
  expect(writingReward("arxiv", words(100, "a"), second).stoppedAt).toBe("length");
});
