import { tensorFlowKernels } from "@laconic/kernels-tfjs";
import { afterAll, describe, test } from "vitest";
import { optionalDevice } from "./optional-device.ts";

const device = await optionalDevice("tensorflow", (modules) => tensorFlowKernels({ modules }));
afterAll(() => device.close());

describe.sequential("the tensorflow device", () => {
  test("is available", ({ skip }) => skip(device.missing !== null, device.missing ?? ""));
  // All cases of the engine at night: it asks no more of kernels than their own suite does.
  const ofEngine = device.engineCases.filter((_, i) => i % 4 === 0);
  for (const { name, run } of [...device.cases, ...ofEngine]) test(name, run);
});
