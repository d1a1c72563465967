import { describe, expect, test } from "vitest";
import { createReferenceKernels, kernelCases } from "./index.ts";

describe("the reference kernels", () => {
  const kernels = createReferenceKernels();
  for (const item of kernelCases) test(item.name, () => item.run(() => kernels));
});

test("every case has a name of its own", () => {
  expect(new Set(kernelCases.map(({ name }) => name)).size).toBe(kernelCases.length);
});
