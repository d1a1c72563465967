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

test("the suite covers an answer, a throw now, a throw later, and no answer", async () => {
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

test("waiting judges do not time out while the queue moves; hanging ones fail together", async () => {
  const ask = withDeadline({ seconds: 5, timer });
  const line = Promise.all(Array.from({ length: 10 }, (_, i) => ask(() => after(2000 * (i + 1)))));
  await vi.advanceTimersByTimeAsync(20_000);
  expect((await line).every(({ status }) => status === "answered")).toBe(true);
  const hanging = Promise.all(Array.from({ length: 10 }, () => ask(never)));
  await vi.advanceTimersByTimeAsync(5100);
  expect((await hanging).every(({ status }) => status === "error")).toBe(true);
});
