import { createInlineEngine, createLocalEngine } from "@laconic/engine";
import { engineCases } from "@laconic/engine/testing";
import { createKernels, wasmKernels } from "@laconic/kernels-wasm";
import { describe, test } from "vitest";

describe("the local engine on wasm, on the calling thread", () => {
  for (const item of engineCases)
    test(item.name, () => item.run(async () => createInlineEngine([await createKernels({})])));
});

describe("the local engine on wasm, on two worker threads", () => {
  for (const item of engineCases)
    test(item.name, { timeout: 60_000 }, () =>
      item.run(() => createLocalEngine({ device: wasmKernels(), workers: 2 })),
    );
});
