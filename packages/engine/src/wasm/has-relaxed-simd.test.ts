import { setFlagsFromString } from "node:v8";
import { expect, test } from "vitest";
import { createKernels } from "./wasm-kernels.ts";
import { hasRelaxedSimd } from "./wasm-kernels.ts";

test("says whether the fused kernels start", async () => {
  const starts = await createKernels({ fma: true }).then(
    (kernels) => kernels.dispose() === undefined,
    () => false,
  );
  expect(hasRelaxedSimd()).toBe(starts);
});

test("is true where Node 20 is told to", () => {
  setFlagsFromString("--experimental-wasm-relaxed-simd");
  expect(hasRelaxedSimd()).toBe(true);
});
