import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { timeLimit, watchTime, type TimeEnd } from "./time-limit.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => vi.useRealTimers());

/** When, by the wall, a program that gets a share of a processor is ended, and how. */
async function endOf(seconds: number, share: number | null, within: number): Promise<[TimeEnd, number] | null> {
  const start = performance.now();
  let end: [TimeEnd, number] | null = null;
  const wall = (): number => (performance.now() - start) / 1000;
  const stop = watchTime(
    timeLimit(seconds),
    async () => (share === null ? null : share * wall()),
    (how) => (end = [how, wall()]),
  );
  for (let passed = 0; passed < within && end === null; passed += 0.05) await vi.advanceTimersByTimeAsync(50);
  stop();
  return end;
}

test("a program ends after 1.5 times its limit of processor time", async () => {
  expect(await endOf(2, 1, 100)).toEqual(["time", expect.closeTo(3, 0)]);
  expect(await endOf(2, 0.25, 100)).toEqual(["time", expect.closeTo(12, 0)]);
});

test("a program without a processor ends at the ceiling and is undecided", async () => {
  expect(await endOf(2, 0.001, 100)).toEqual(["stalled", expect.closeTo(70, 0)]);
});

test("the wall decides where the system tells nothing", async () => {
  expect(await endOf(2, null, 100)).toEqual(["time", expect.closeTo(3, 0)]);
});

test("a limit longer than a timer holds is no shorter", async () => {
  expect(await endOf(3e6, 1, 200)).toBeNull();
});
