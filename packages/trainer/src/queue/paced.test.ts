import { expect, test } from "vitest";
import { virtualTimer } from "../testing/index.ts";
import { rateLimiter } from "./paced.ts";

test("thirty-two of a hundred simultaneous requests pass per turn, in order, without delay", async () => {
  const timer = virtualTimer();
  const passed: number[] = [];
  let since = 0;
  let most = 0;
  const after = (ms: number, call: () => void): (() => void) => timer.after(ms, () => ((since = 0), call()));
  const pass = rateLimiter({ ...timer, after }, 32);
  const one = async (number: number): Promise<void> => {
    await pass();
    passed.push(number);
    most = Math.max(most, ++since);
  };
  await timer.run(Promise.all(Array.from({ length: 100 }, (_, number) => one(number))));
  expect(passed).toEqual(Array.from({ length: 100 }, (_, number) => number));
  expect(most).toBe(32);
  expect(timer.now()).toBe(0);
});

test("a single program does not wait, and later ones queue", async () => {
  const timer = virtualTimer();
  const pass = rateLimiter(timer, 1);
  const passed: string[] = [];
  const come = (name: string): Promise<void> => pass().then(() => void passed.push(name));
  await come("first");
  expect(passed).toEqual(["first"]);
  const rest = [come("second"), come("third")];
  timer.after(0, () => void rest.push(come("fourth")));
  await timer.run(Promise.all(rest).then(() => Promise.all(rest)));
  expect(passed).toEqual(["first", "second", "third", "fourth"]);
  await timer.run(new Promise<void>((go) => void timer.after(1, go)));
  await come("much later");
  expect(passed.at(-1)).toBe("much later");
});
