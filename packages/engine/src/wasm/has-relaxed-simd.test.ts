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

test("is true if Node 20 has the flag", () => {
  setFlagsFromString("--experimental-wasm-relaxed-simd");
  expect(hasRelaxedSimd()).toBe(true);
});
