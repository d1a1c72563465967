import { randomFromSeed } from "@laconic/core";
import { afterEach, expect, test } from "vitest";
import { mathsGrader, mathsGraderOn, type MathsGrader } from "./maths-grader.ts";

let grader: MathsGrader | null = null;
const open = (options?: Parameters<typeof mathsGrader>[0]): MathsGrader => (grader = mathsGrader(options));
const openHanging = (timeoutMs = 1000): MathsGrader =>
  (grader = mathsGraderOn(new URL("../../test/hanging-maths-worker.ts", import.meta.url), { timeoutMs }));
afterEach(async () => {
  await grader?.close();
  grader = null;
});

test("verdicts come back in the order of their pairs", async () => {
  const maths = open();
  const verdicts = await Promise.all(
    Array.from({ length: 100 }, (_, i) => maths.grade(String(i), String(i % 2 ? i : i + 1))),
  );
  expect(verdicts.map(({ correct }) => correct)).toEqual(Array.from({ length: 100 }, (_, i) => i % 2 === 1));
});

test("a pair that takes too long is undecided; those behind it are judged", async () => {
  const maths = openHanging();
  const pairs = ["right", "hang", "right"].map((reply) => maths.grade(reply, "right"));
  const verdicts = await Promise.all(pairs);
  expect(verdicts[0]?.correct).toBe(true);
  expect(verdicts[1]).toMatchObject({ correct: false, certainty: "undecided", decided: true });
  expect(verdicts[2]?.correct).toBe(true);
});

test("a pair is given up by its signal, whether it waits or is judged; the others are", async () => {
  const maths = openHanging();
  const [held, early] = [new AbortController(), AbortSignal.abort()];
  const hanging = maths.grade("hang", "right", undefined, held.signal);
  const behind = maths.grade("right", "right");
  const never = maths.grade("right", "right", undefined, early);
  const givenUp = { correct: false, rule: "aborted", certainty: "undecided", decided: false };
  expect(await never).toMatchObject(givenUp);
  held.abort();
  expect(await hanging).toMatchObject(givenUp);
  expect((await behind).correct).toBe(true);
});

// Only Linux reports a thread's processor time.
test.skipIf(process.platform !== "linux")(
  "a thread that gets no processor has used no time: its pair is judged",
  async () => {
    const maths = openHanging(500);
    await maths.grade("right", "right"); // its thread is there
    const [slow, behind] = await Promise.all([maths.grade("wait", "right"), maths.grade("right", "right")]);
    expect([slow.certainty, slow.rule, behind.correct]).toEqual(["exact", "equal", true]);
  },
);

test("pairs after close are refused, and pairs that wait are rejected", async () => {
  const maths = open();
  const waiting = maths.grade("1", "1");
  const [settled] = await Promise.all([waiting.catch((error: unknown) => error), maths.close()]);
  expect(settled).toFailWith("engine_failed");
  await expect(maths.grade("1", "1")).rejects.toFailWith("engine_failed");
});

const pieces = [
  ...String.raw`\frac \sqrt { } ( ) [ ] ^ _ \left \right + - = < \leq , ; | ! % \% $ \boxed{ \text{ and x y 12 3.5 0 \pi \infty \cup \in \pm \begin{pmatrix} \end{pmatrix} & \\ \cdot \sum_{k=1}^{n} \int \sin \log_`.split(
    " ",
  ),
  "answer is",
  " ",
  "\n",
  String.raw`\zzz`,
  "'",
  "1,234",
  "\u221e",
  "\ud800",
];

const fuzzed = Number(process.env["LACONIC_FUZZ"] ?? 1000);

test(`${fuzzed} random texts: each gets a verdict, memory stays bounded`, async () => {
  const maths = open();
  const { uniform: random } = randomFromSeed(11);
  const text = (): string =>
    Array.from({ length: 1 + Math.floor(random() * 24) }, () => pieces[Math.floor(random() * pieces.length)]).join("");
  let undecided = 0;
  for (let done = 0; done < fuzzed; done += 500) {
    const verdicts = await Promise.all(
      Array.from({ length: Math.min(500, fuzzed - done) }, () =>
        maths.grade(text(), random() < 0.5 ? text() : "\\frac{x}{2}"),
      ),
    );
    for (const { rule, certainty } of verdicts) {
      expect(rule).not.toBe("");
      if (certainty === "undecided") undecided++;
    }
  }
  expect(undecided).toBeLessThan(fuzzed);
  expect(process.memoryUsage().rss).toBeLessThan(2 ** 31);
});

test("two threads judge as one does, and one of them can stop", async () => {
  const both = mathsGraderOn(new URL("../../test/hanging-maths-worker.ts", import.meta.url), {
    timeoutMs: 300,
    threads: 2,
  });
  const pairs = Array.from({ length: 40 }, (_, i) => both.grade(i === 3 ? "hang" : `${i}`, `${i % 2 === 0 ? i : -1}`));
  const verdicts = await Promise.all(pairs);
  await both.close();
  expect(verdicts[3]).toMatchObject({ correct: false, certainty: "undecided" });
  expect(verdicts.filter((_, i) => i !== 3).every(({ certainty }) => certainty !== "undecided")).toBe(true);
  await expect(both.grade("1", "1")).rejects.toFailWith("engine_failed");
});
