import { LaconicError, randomFromSeed } from "@laconic/core";
import { expect, test } from "vitest";
import type { EngineHost } from "../host/protocol.ts";
import { SharedSampling, balance, balanceGroups } from "./shared-sampling.ts";
import fc from "fast-check";

test("a request that is called off after its host was closed fails once, and alone", async () => {
  const closed = new LaconicError("engine_failed", "the engine was closed");
  const cancelled: number[] = [];
  let fail: (error: unknown) => void = () => undefined;
  const host: Pick<EngineHost, "call"> = {
    call: (_, method, ...args) => {
      if (method === "sample") return new Promise((__, reject) => (fail = reject));
      cancelled.push(args[1] as number);
      return Promise.reject(closed);
    },
  };
  const gone = new AbortController();
  const request = {
    promptTokens: [1],
    sampling: { temperature: 0, maxTokens: 1 },
    stopTokens: [],
    random: randomFromSeed(0).state(),
    signal: gone.signal,
  } as unknown as Parameters<SharedSampling["sample"]>[1][number];
  const sampled = new SharedSampling([host as EngineHost], 0).sample(0, [request]);
  gone.abort();
  await new Promise((done) => setTimeout(done, 0)); // what nobody handles fails the test
  expect(cancelled).toEqual([0]);
  fail(closed);
  await expect(sampled).rejects.toBe(closed);
});

test("every item is given to one replica, in order, and loads are even", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 40 }),
      fc.integer({ min: 1, max: 5 }),
      (costs, replicas) => {
        const shares = balance(costs, replicas);
        expect(shares.flat().toSorted((a, b) => a - b)).toEqual(costs.map((_, i) => i));
        for (const share of shares) expect(share).toEqual(share.toSorted((a, b) => a - b));
        const loads = shares.map((share) => share.reduce((sum, i) => sum + (costs[i] as number), 0));
        expect(Math.max(...loads) - Math.min(...loads)).toBeLessThanOrEqual(Math.max(0, ...costs));
      },
    ),
    { seed: 1 },
  );
});

test("groups stay together", () => {
  expect(balanceGroups(["a", "b", "a", "c"], [1, 1, 1, 1], 2)).toEqual([
    [0, 2],
    [1, 3],
  ]);
});
