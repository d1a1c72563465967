import { expect, test } from "vitest";
import { virtualTimer } from "@laconic/trainer/testing";
import { delivery } from "./delivery.ts";

test("rows go in order, in batches, without holding anybody up", async () => {
  const timer = virtualTimer();
  const sent: (readonly number[])[] = [];
  const queue = delivery<number>({ timer, max: 4, send: async (batch) => void sent.push([...batch]) });
  for (let row = 1; row <= 10; row++) queue.add(row);
  expect(sent).toEqual([]);
  await timer.run(queue.close());
  expect(sent).toEqual([
    [1, 2, 3, 4],
    [5, 6, 7, 8],
    [9, 10],
  ]);
});

test("what fails is tried again after pauses, and nothing is lost or sent twice", async () => {
  const timer = virtualTimer();
  const [tried, sent]: [number[], number[]] = [[], []];
  const queue = delivery<number>({
    timer,
    async send(batch) {
      tried.push(timer.now());
      if (tried.length < 3) throw new Error("no route");
      sent.push(...batch);
    },
  });
  queue.add(1, 2);
  await timer.run(
    new Promise<void>((go) => {
      timer.after(60_000, go);
    }),
  );
  expect(tried).toEqual([2000, 3000, 7000]); // it waits for more, then pauses of 1 and 4 seconds
  expect(sent).toEqual([1, 2]);
  await timer.run(queue.close());
});

test.each([
  ["a server that is dead", () => Promise.reject(new Error("ECONNREFUSED")), /ECONNREFUSED/u],
  [
    "a server that never answers",
    (signal: AbortSignal) =>
      new Promise<void>((_, stop) => signal.addEventListener("abort", () => stop(signal.reason as Error))),
    /no answer within 15 seconds/u,
  ],
])("%s is given up: adding says so from then on, and closing ends in time", async (_, send, reason) => {
  const timer = virtualTimer();
  const queue = delivery<number>({ timer, send: (__, signal) => send(signal) });
  queue.add(1);
  await timer.run(
    new Promise<void>((go) => {
      timer.after(200_000, go);
    }),
  );
  expect(() => queue.add(2)).toThrow(reason);
  await expect(timer.run(queue.close())).rejects.toThrow(reason);
});

test("a server that hangs at the end of a run costs half a minute, not longer", async () => {
  const timer = virtualTimer();
  const hangs = (signal: AbortSignal): Promise<void> =>
    new Promise((_, stop) => signal.addEventListener("abort", () => stop(signal.reason as Error)));
  const queue = delivery<number>({ timer, send: (_, signal) => hangs(signal) });
  queue.add(1);
  await expect(timer.run(queue.close())).rejects.toThrow(/not taken within 30 seconds/u);
  expect(timer.now()).toBeLessThan(31_000);
});

test("a refusal is not tried again, and what waits has an end", async () => {
  const timer = virtualTimer();
  let tries = 0;
  const refused = delivery<number>({
    timer,
    isPassing: () => false,
    send: () => Promise.reject(new Error(`refused ${++tries}`)),
  });
  refused.add(1);
  await expect(timer.run(refused.close())).rejects.toThrow("refused 1");
  const full = delivery<number>({ timer, maxWaiting: 2, send: async () => undefined });
  full.add(1, 2);
  expect(() => full.add(3)).toThrow("2 rows wait, and nobody takes them");
  await timer.run(full.close());
});
