import { randomFromSeed } from "@laconic/core";
import { describe, expect, test } from "vitest";
import { GapWindow, measureReply, replyFault, type ReplyGap } from "./reply-gap.ts";

const tolerance = 0.05;
const of = (...gaps: number[]): ReplyGap => ({ gaps, noise: 0 });
const even = (count: number, gap: number): ReplyGap => of(...Array.from({ length: count }, () => gap));

describe("one reply", () => {
  test.each([1, 4, 64, 4096])("a text of %i tokens is accepted at the tolerance, with one unlucky token", (count) => {
    expect(replyFault(even(count, tolerance), tolerance)).toBeNull();
    expect(replyFault(of(...even(count - 1, tolerance).gaps, 20 * tolerance), tolerance)).toBeNull();
  });

  test.each([1, 4, 64, 4096])("a text of %i wrong tokens is rejected", (count) => {
    expect(replyFault(even(count, 3.7), tolerance)).toContain("the trainer's by 3.70");
  });

  test("invalid numbers, and those below noise, are rejected", () => {
    expect(replyFault(of(0, Number.NaN), tolerance)).toContain("NaN");
    expect(replyFault({ gaps: [0], noise: 15 }, tolerance)).toContain("look random");
    expect(replyFault({ gaps: [0], noise: 14 }, tolerance)).toBeNull();
  });
});

test("compares truncated distributions one-sidedly, with a bound by topP", () => {
  const reply = { logProbs: [-1, -2, -3] };
  const own = { logProbs: [-1.05, -2.2, -2.5], atOne: [-1, -2, -3] };
  const server = { reportsUncut: false, reportsRaw: false, vocabularySize: 13 };
  const gaps = (sampling: object, other: object = {}): number[] =>
    measureReply(
      reply,
      own,
      { sampling: { temperature: 1, maxTokens: 8, ...sampling } },
      { ...server, ...other },
    ).gaps.map((gap) => Math.round(1e6 * gap) / 1e6);
  expect(gaps({})).toEqual([0.05, 0.2, 0.5]);
  expect(gaps({ topP: 0.9 })).toEqual([0, 0.094639, 0.5]);
  expect(gaps({ topK: 5 })).toEqual([0, 0, 0.5]);
  expect(gaps({ topP: 0.9 }, { reportsUncut: true })).toEqual([0.05, 0.2, 0.5]);
  expect(gaps({ topP: 0.9 }, { reportsRaw: true })).toEqual([0, 0, 0]);
  const { noise } = measureReply(reply, own, { sampling: { temperature: 1, maxTokens: 8 } }, server);
  const halves = [1.05, 2.2, 2.5].map((surprise) => Math.log(0.5 + 0.5 * (Math.exp(surprise) / 13)));
  expect(noise).toBeCloseTo(
    halves.reduce((sum, halve) => sum + halve, 0),
    12,
  );
});

test("detects uniform replies as noise, but no sampler's replies at any temperature or truncation", () => {
  const [random, vocabularySize] = [randomFromSeed("noise"), 50];
  const server = { reportsUncut: true, reportsRaw: false, vocabularySize };
  const noiseOf = (drawn: (logProbs: readonly number[]) => number): number => {
    const logProbs = Array.from({ length: 64 }, () => {
      const weights = Array.from({ length: vocabularySize }, () => Math.exp(12 * random.uniform()));
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      const own = weights.map((weight) => Math.log(weight / total));
      return own[drawn(own)] as number;
    });
    return measureReply(
      { logProbs },
      { logProbs, atOne: logProbs },
      { sampling: { temperature: 1, maxTokens: 64 } },
      server,
    ).noise;
  };
  const draw = (own: readonly number[], keep: number): number => {
    const order = own.map((_, token) => token).toSorted((a, b) => (own[b] as number) - (own[a] as number));
    const retained = order.slice(0, keep);
    let left = random.uniform() * retained.reduce((sum, token) => sum + Math.exp(own[token] as number), 0);
    return retained.find((token) => (left -= Math.exp(own[token] as number)) <= 0) ?? (retained[0] as number);
  };
  for (const keep of [1, 5, vocabularySize])
    for (let i = 0; i < 200; i++) expect(noiseOf((own) => draw(own, keep))).toBeLessThan(14);
  for (let i = 0; i < 200; i++)
    expect(noiseOf(() => random.integer(vocabularySize))).toBeGreaterThan(14 + 64 * tolerance);
});

describe("a server's last replies", () => {
  const judged = (replies: readonly ReplyGap[]): string | null => {
    const window = new GapWindow();
    for (const reply of replies) window.add(reply, tolerance, replyFault(reply, tolerance) !== null);
    return window.fault(tolerance);
  };
  const many = (count: number, reply: (i: number) => ReplyGap): ReplyGap[] =>
    Array.from({ length: count }, (_, i) => reply(i));

  test("bfloat16's rounding with unlucky tokens never fails the test", () => {
    const random = randomFromSeed("rounding");
    // Mean 0.01, with one outlier in 500 tokens.
    const token = (): number => (random.uniform() < 0.002 ? 1.5 : -0.01 * Math.log(1 - random.uniform()));
    const window = new GapWindow();
    for (let i = 0; i < 5000; i++) {
      const reply = of(...Array.from({ length: 1 + random.integer(40) }, token));
      window.add(reply, tolerance, replyFault(reply, tolerance) !== null);
      expect(window.fault(tolerance)).toBeNull();
    }
    expect(window.mean).toBeGreaterThan(0.005);
    expect(window.mean).toBeLessThan(0.02);
  });

  test("ten rejected texts outweigh nine good ones between them", () => {
    const bad =
      (every: number) =>
      (i: number): ReplyGap =>
        even(8, i % every === 0 ? 4 : 0);
    expect(judged(many(91, bad(10)))).toContain("10 of its last 91 replies were discarded");
    // Rare bad replies are discarded without a quarantine.
    expect(judged(many(1000, bad(50)))).toBeNull();
  });

  test("texts of one token each are judged together", () => {
    // Each reply alone is within its tolerance.
    expect(replyFault(of(0.6), tolerance)).toBeNull();
    expect(judged(many(63, () => of(0.6)))).toBeNull();
    expect(judged(many(64, () => of(0.6)))).toContain("the trainer's by 0.600 (mean of 64 tokens");
  });

  test("that report noise honestly are rejected together", () => {
    expect(judged(many(7, () => ({ gaps: [0, 0], noise: 4 })))).toBeNull();
    expect(judged(many(8, () => ({ gaps: [0, 0], noise: 4 })))).toContain("look random");
  });

  test("are forgotten after a hundred others", () => {
    expect(judged([...many(9, () => even(8, 4)), ...many(200, () => even(8, 0)), even(8, 4)])).toBeNull();
  });
});
