import { LaconicError } from "@laconic/core";
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

test("a fused kernel that fails on this card is named with its reason", async () => {
  const failing = standInTorch("cuda", (name) => {
    if (name.includes("flash")) throw new LaconicError("engine_failed", "no kernel image");
  });
  const { backend } = await chooseKernels(failing, "bfloat16");
  expect(backend).toMatch(/^libtorch [\d.]+, plain attention, no attention fused \(no kernel image\)$/);
});

test("a version that is newer than the tested ones is named", async () => {
  const torch = standInTorch("cpu");
  const newer = Object.create(torch, { library: { value: { ...torch.library, version: { major: 2, minor: 99 } } } });
  expect((await chooseKernels(newer, "float32")).backend).toBe("libtorch 2.99, newer than the tested 2.14");
});
