import { expect, test } from "vitest";
import { contamination } from "./contamination.ts";
import { seededSubset } from "./benchmark.ts";

const items = Array.from({ length: 50 }, (_, i) => i);

test("a subset repeats by seed, and a smaller one begins a larger one", () => {
  const whole = seededSubset(items, { seed: 3 });
  expect(whole.toSorted((a, b) => a - b)).toEqual(items);
  expect(seededSubset(items, { seed: 3, limit: 7 })).toEqual(whole.slice(0, 7));
  expect(seededSubset(items, { seed: 4, limit: 7 })).not.toEqual(whole.slice(0, 7));
  for (const limit of [0, 51, 2.5, NaN])
    expect(() => seededSubset(items, { seed: 0, limit })).toThrow("expected a whole number from 1 to 50");
});

test("reports a pool that contains a test question, by equal text or 13 words in a row", () => {
  const words = Array.from({ length: 20 }, (_, i) => `w${i}`);
  const problem = (id: string, question: string) => ({ id, question, gold: "" });
  const test1 = problem("t1", words.join(" "));
  const test2 = problem("t2", "How many apples?");
  const phrase = words.map((word) => `common ${word}`).join(" ");
  const [test3, test4] = [problem("t3", `${phrase} three`), problem("t4", `${phrase} four`)];
  const pool = [
    problem("phrase", phrase),
    problem("same", "how many  APPLES"),
    problem("long", ["x", ...words.slice(2, 15), "y"].join(", ")),
    problem("short", words.slice(2, 14).join(" ")),
    problem("other", "Something else entirely"),
  ];
  expect(contamination(pool, [test1, test2, test3, test4])).toEqual([
    { pool: "same", test: "t2", kind: "equal" },
    { pool: "long", test: "t1", kind: "shared-words" },
  ]);
});
