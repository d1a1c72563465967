import { tensorFlowKernels } from "@laconic/kernels-tfjs";
import { afterAll, describe, test } from "vitest";
import { optionalDevice } from "./optional-device.ts";

const device = await optionalDevice("tensorflow", (modules) => tensorFlowKernels({ modules }));
afterAll(() => device.close());

describe.sequential("the local engine on the tensorflow device", () => {
  test("is available", ({ skip }) => skip(device.missing !== null, device.missing ?? ""));
  for (const { name, run } of device.engineCases) test(name, run);
});
