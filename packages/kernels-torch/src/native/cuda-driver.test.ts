import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { checkCudaDriver } from "./cuda-driver.ts";

const refused = (library: string): unknown =>
  expect.objectContaining({
    code: "device_unavailable",
    message: `there is no NVIDIA driver here (${library})`,
    detail: { library },
  });

test("a machine without NVIDIA's driver is told so", () => {
  expect(() => checkCudaDriver("libcuda-that-nobody-has.so.1")).toThrowError(refused("libcuda-that-nobody-has.so.1"));
});

test.skipIf(!existsSync("/lib/x86_64-linux-gnu/libm.so.6"))("and so is one where another library has its name", () => {
  expect(() => checkCudaDriver("libm.so.6")).toThrowError(refused("libm.so.6"));
});
