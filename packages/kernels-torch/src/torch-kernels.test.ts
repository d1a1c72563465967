import { kernelCases } from "@laconic/engine/kernels/testing";
import { describe, test } from "vitest";
import { createKernels } from "./create-kernels.ts";

describe("the libtorch kernels on the CPU", async () => {
  const kernels = await createKernels({ device: "cpu" });
  for (const item of kernelCases) test(item.name, () => item.run(() => kernels));
});
