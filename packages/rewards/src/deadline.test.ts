import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { timerOf, withDeadline } from "./deadline.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const timer = timerOf(globalThis);
const never = (): Promise<number> => new Promise(() => undefined);
const after = (milliseconds: number): Promise<number> =>
  new Promise((resolve) => setTimeout(() => resolve(milliseconds), milliseconds));

test("a timer that is called off leaves nothing behind", () => {
  timer.after(1000, () => undefined)();
  expect(vi.getTimerCount()).toBe(0);
});

test("an answer, a throw at once, a throw later, and no answer", async () => {
  const ask = withDeadline({ seconds: 5, timer });
  const signals: AbortSignal[] = [];
  const failure = new Error("no");
  const answers = Promise.all([
    ask(() => 1),
    ask(() => {
      throw failure;
    }),
    ask(() => after(10).then(() => Promise.reject(failure))),
    ask((signal) => (signals.push(signal), never())),
  ]);
  await vi.advanceTimersByTimeAsync(4999);
  expect(signals[0]?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(20);
  expect(await answers).toEqual([
    { status: "answered", value: 1 },
    { status: "error", reason: "no", cause: failure },
    { status: "error", reason: "no", cause: failure },
    { status: "error", reason: "no answer within 5 s" },
  ]);
  expect(signals[0]?.aborted).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

test("those that wait in a line do not run out of time while it moves; all that hang fail together", async () => {
  const ask = withDeadline({ seconds: 5, timer });
  const line = Promise.all(Array.from({ length: 10 }, (_, i) => ask(() => after(2000 * (i + 1)))));
  await vi.advanceTimersByTimeAsync(20_000);
  expect((await line).every(({ status }) => status === "answered")).toBe(true);
  const hanging = Promise.all(Array.from({ length: 10 }, () => ask(never)));
  await vi.advanceTimersByTimeAsync(5100);
  expect((await hanging).every(({ status }) => status === "error")).toBe(true);
});
