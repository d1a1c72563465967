import { kernelCases } from "../kernels/testing/index.ts";
import { describe, test } from "vitest";
import { createKernels } from "./wasm-kernels.ts";

describe("the wasm kernels", async () => {
  const kernels = await createKernels({});
  for (const item of kernelCases) test(item.name, () => item.run(() => kernels));
});
