import { LaconicError, randomFromSeed } from "@laconic/core";
import { expect, test } from "vitest";
import type { EngineHost } from "../host/protocol.ts";
import { SharedSampling } from "./shared-sampling.ts";

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
