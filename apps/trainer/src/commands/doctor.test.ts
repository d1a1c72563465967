import { expect, test } from "vitest";
import { adviceOf } from "./doctor.ts";

test.each([
  [["wasm"], false, /^train here: laconic train/u],
  [["wasm"], true, /^to use the GPU: pip install torch/u],
  [["wasm", "cuda"], true, /^train on the GPU: laconic plan/u],
  [[], true, /^WebAssembly is missing: install Node/u],
])("advises a machine with devices %j (GPU: %s)", (working, hasGpu, advice) => {
  const devices = ["wasm", "cuda"].map((name) => ({ name, works: working.includes(name) }));
  expect(adviceOf(devices, hasGpu)).toMatch(advice);
});
