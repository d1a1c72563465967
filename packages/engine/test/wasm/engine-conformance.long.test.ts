import type { Engine } from "@laconic/core";
import { createInlineEngine, createLocalEngine } from "../../src/index.ts";
import { engineCases } from "../../src/testing/index.ts";
import { createKernels, wasmKernels } from "../../src/wasm/index.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

describe("the local engine on wasm, on the calling thread", () => {
  for (const item of engineCases)
    test(item.name, () => item.run(async () => createInlineEngine([await createKernels({})])));
});

describe("the local engine on wasm, on two worker threads", () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createLocalEngine({ device: wasmKernels(), workers: 2 });
  });
  afterAll(() => engine.close());
  // Starting threads takes longer than the cases do, so they share an engine.
  for (const item of engineCases)
    test(item.name, () => item.run(async () => ({ ...engine, close: () => Promise.resolve() })));
});
