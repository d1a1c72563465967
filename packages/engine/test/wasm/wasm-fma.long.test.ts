import { setFlagsFromString } from "node:v8";
import type { Kernels } from "../../src/kernels/index.ts";
import { kernelCases } from "../../src/kernels/testing/index.ts";
import { describe, expect, test } from "vitest";
import { createKernels } from "../../src/wasm/wasm-kernels.ts";

// Node 20 has relaxed SIMD behind this.
setFlagsFromString("--experimental-wasm-relaxed-simd");

describe("the wasm kernels with fused multiply-add", async () => {
  const kernels = await createKernels({ fma: true });
  for (const item of kernelCases) test(item.name, () => item.run(() => kernels));

  test("products round once with fused multiply-add and twice without", async () => {
    // -1 + (1 + 2^-12)^2 is 2^-11 + 2^-24, of which rounding the product first takes the last term.
    const near = 1 + 2 ** -12;
    const product = async (own: Kernels): Promise<number> =>
      (
        await own.read(
          own.linear(own.upload(Float32Array.of(1, near), [1, 2]), own.upload(Float32Array.of(-1, near), [1, 2])),
        )
      )[0] as number;
    expect([2 ** -11, 2 ** -11 + 2 ** -24]).toContain(await product(kernels));
    expect(await product(await createKernels({}))).toBe(2 ** -11);
    expect([kernels.device, kernels.backend]).toEqual(["wasm-fma", "wasm relaxed simd"]);
  });
});
