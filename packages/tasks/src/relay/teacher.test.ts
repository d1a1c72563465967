import { randomFromSeed } from "@laconic/core";
import { expect, test } from "vitest";
import {
  relayTeacher,
  relayTeacherSettings,
  type RelayTeacherSettings,
  teacherAnswer,
  teacherMessage,
} from "./teacher.ts";

const draws = 20000;

/** Frequency of each text over many draws. */
function frequencies(draw: (random: ReturnType<typeof randomFromSeed>) => string): Record<string, number> {
  const random = randomFromSeed("frequencies");
  const counts: Record<string, number> = {};
  for (let i = 0; i < draws; i++) {
    const text = draw(random);
    counts[text] = (counts[text] ?? 0) + 1 / draws;
  }
  return counts;
}

test("an asked fact is worded in three styles, 60, 30 and 10 %", () => {
  const found = frequencies((random) => teacherMessage("m3 k6", "k+e", random, relayTeacherSettings));
  expect(Object.keys(found).toSorted()).toEqual(["k is 6", "k6", "the value of k is 6"]);
  expect(found["the value of k is 6"]).toBeCloseTo(0.6, 1);
  expect(found["k is 6"]).toBeCloseTo(0.3, 1);
  expect(found["k6"]).toBeCloseTo(0.1, 1);
});

test("without an asked fact it mostly says so, and is silent in 15 %", () => {
  const found = frequencies((random) => teacherMessage("m3", "k+e", random, relayTeacherSettings));
  expect(Object.keys(found).toSorted()).toEqual(["", "i have nothing for this one"]);
  expect(found[""]).toBeGreaterThan(0.14); // four standard errors
  expect(found[""]).toBeLessThan(0.16);
});

test("the answer adds up values heard in any style", () => {
  const found = frequencies((random) =>
    teacherAnswer("k+e", ["the value of e is 9", "i have nothing for this one", "k6"], random, relayTeacherSettings),
  );
  expect(Object.keys(found).toSorted()).toEqual(["15", "it is 15", "the answer is 15"]);
  expect(found["the answer is 15"]).toBeCloseTo(0.4, 1);
  const terse = { ...relayTeacherSettings, answers: { verbose: 0, short: 0, terse: 1 } };
  expect(teacherAnswer("k+e", ["k is 0", "", "e0"], randomFromSeed(1), terse)).toBe("0");
  expect(teacherAnswer("e+k", ["k is 8", "e is 9", ""], randomFromSeed(1), terse)).toBe("17");
});

test("a missing value leaves the answer empty", () => {
  expect(teacherAnswer("k+e", ["k6", "", "m3"], randomFromSeed(1), relayTeacherSettings)).toBe("");
});

test.each<[string, Partial<RelayTeacherSettings>]>([
  ["a mix below 1", { messages: { verbose: 0.6, short: 0.3, terse: 0 } }],
  ["a negative share", { answers: { verbose: 1.1, short: -0.1, terse: 0 } }],
  ["a share that is no number", { answers: { verbose: Number.NaN, short: 0.5, terse: 0.5 } }],
  ["silence above 1", { silence: 1.5 }],
  ["silence that is no number", { silence: Number.NaN }],
])("%s is refused", (_, change) => {
  expect(() => relayTeacher({ ...relayTeacherSettings, ...change })).toThrow(
    expect.objectContaining({ code: "config_invalid" }),
  );
});
