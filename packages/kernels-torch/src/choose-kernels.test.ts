import { expect, test } from "vitest";
import { chooseKernels } from "./create-kernels.ts";
import { standInTorch } from "./testing/stand-in-kernels.ts";

// What the samples read is a quarter of a million values: more than a call takes arguments.
test.each([
  {
    dtype: "bfloat16",
    backend: /^libtorch [\d.]+, cache of (pages|slots)$/,
  },
  { dtype: "float32", backend: /^libtorch [\d.]+, plain attention$/ },
] as const)("the sets of CUDA are compared in $dtype", async ({ dtype, backend }) => {
  const kernels = await chooseKernels(standInTorch("cuda"), dtype);
  expect(kernels.backend).toMatch(backend);
});
