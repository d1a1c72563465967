import { kernelCases } from "@laconic/engine/kernels/testing";
import { describe, test } from "vitest";
import { createKernels } from "./create-kernels.ts";

describe.each(["float32", "bfloat16"] as const)("the libtorch kernels on the CPU, %s", async (dtype) => {
  const kernels = await createKernels({ device: "cpu", dtype });
  for (const item of kernelCases) test(item.name, () => item.run(() => kernels));
});
