import { join } from "node:path";
import { createInlineEngine, createLocalEngine } from "@laconic/engine";
import type { CreateKernels, Kernels, KernelSource } from "@laconic/engine/kernels";
import { kernelCases } from "@laconic/engine/kernels/testing";
import { engineCases } from "@laconic/engine/testing";
import { tensorFlowKernels, webGpuKernels } from "@laconic/kernels-tfjs";
import { afterAll, describe, expect, test } from "vitest";

/** Devices whose packages `laconic doctor --enable` has put into the folder that LACONIC_DEVICES names. */
const folder = process.env["LACONIC_DEVICES"];
const devices = [
  { name: "tensorflow", source: (modules: string) => tensorFlowKernels({ modules }) },
  { name: "webgpu", source: (modules: string) => webGpuKernels({ modules }) },
] satisfies { name: string; source: (modules: string) => KernelSource }[];

for (const { name, source } of devices)
  describe.sequential(`the ${name} device`, async () => {
    const own = source(join(folder ?? ".", name));
    const { createKernels } = (await import(own.module)) as { createKernels: CreateKernels };
    const opened = await createKernels(own.options).then(
      (kernels) => ({ kernels }),
      (error: unknown) => ({ missing: String(error) }),
    );
    if ("missing" in opened) {
      test("is available", ({ skip }) =>
        skip(folder === undefined ? "set LACONIC_DEVICES to the devices folder" : opened.missing));
      return;
    }
    const { kernels } = opened;
    afterAll(() => kernels.dispose());

    for (const item of kernelCases) test(item.name, { timeout: 60_000 }, () => item.run(() => kernels));

    // The engine closes its kernels; these stay for the next case.
    const shared: Kernels = { ...kernels, dispose: () => undefined };
    for (const item of engineCases)
      test(`engine: ${item.name}`, { timeout: 60_000 }, () => item.run(() => createInlineEngine([shared])));

    test("runs on a worker thread, and lets the process end", { timeout: 60_000 }, async () => {
      const engine = await createLocalEngine({ device: own });
      expect(engine.capabilities).toMatchObject({ device: name, dtype: "float32", deterministic: false });
      await engine.close();
    });
    test("nothing is left on the device", () => expect(kernels.liveTensors()).toBe(0));
  });
