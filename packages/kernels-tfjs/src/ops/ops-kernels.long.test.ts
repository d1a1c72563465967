import { MathBackendCPU } from "@tensorflow/tfjs-backend-cpu";
import { kernelCases } from "@laconic/engine/kernels/testing";
import { backend, enableProdMode, memory, setBackend } from "@tensorflow/tfjs-core";
import { describe, expect, test } from "vitest";
import { opsKernelSet } from "./ops-kernels.ts";
import { scatterRows } from "./rows.ts";

describe("the kernels by TensorFlow.js operations, on its plain JavaScript backend", async () => {
  enableProdMode(); // no advice on the console
  await setBackend("cpu");
  const kernels = opsKernelSet({
    device: "javascript",
    library: "tfjs-cpu",
    maxElements: 4096,
    putRows: scatterRows,
    dispose: () => undefined,
  });
  test("run where they should", () => expect(backend()).toBeInstanceOf(MathBackendCPU));
  // At 4,096 elements 130 rows are in pieces already; 4,300 take this backend half of all its time.
  const cases = kernelCases.filter(({ name }) => !name.startsWith("headLogProbs in pieces"));
  for (const item of cases) test(item.name, () => item.run(() => kernels));
  test("leave nothing behind in TensorFlow.js", () => {
    expect(kernels.liveTensors()).toBe(0);
    expect(memory().numTensors).toBe(0);
  });
});
