import { expect, test } from "vitest";
import { isProgram } from "./open-gpu.ts";

const info = (vendor: string, description: string, more: { readonly isFallbackAdapter?: boolean } = {}) => ({
  vendor,
  architecture: "",
  description,
  ...more,
});

test("adapters that compute on the processor are known by their own word, or by name", () => {
  expect(isProgram(info("google", "SwiftShader Device (Subzero)"))).toBe(true);
  expect(isProgram(info("mesa", "llvmpipe (LLVM 17.0.6, 256 bits)"))).toBe(true);
  expect(isProgram(info("microsoft", "Microsoft Basic Render Driver"))).toBe(true);
  expect(isProgram(info("unknown", "", { isFallbackAdapter: true }))).toBe(true);
});

test("software adapters are not GPUs", () => {
  for (const [vendor, description] of [
    ["apple", "Apple M2 Pro"],
    ["nvidia", "NVIDIA GeForce RTX 4090"],
    ["intel", "Intel(R) Iris(R) Xe Graphics"],
    ["amd", "AMD Radeon RX 7900 XTX (RADV NAVI31)"],
  ] as const)
    expect(isProgram(info(vendor, description)), description).toBe(false);
});
