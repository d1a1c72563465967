import assert from "node:assert/strict";
import { join } from "node:path";
import { createInlineEngine, createLocalEngine } from "@laconic/engine";
import type { CreateKernels, Kernels, KernelSource } from "@laconic/engine/kernels";
import { kernelCases } from "@laconic/engine/kernels/testing";
import { engineCases } from "@laconic/engine/testing";

export interface OptionalDeviceCases {
  /** Why the device is unavailable; null if it is available. */
  readonly missing: string | null;
  readonly cases: readonly DeviceCase[];
  readonly engineCases: readonly DeviceCase[];
  close(): void;
}

interface DeviceCase {
  readonly name: string;
  run(): Promise<void>;
}

export async function optionalDevice(
  name: string,
  source: (modules: string) => KernelSource,
): Promise<OptionalDeviceCases> {
  const folder = process.env["LACONIC_DEVICES"];
  const nothing = (missing: string): OptionalDeviceCases => ({
    missing,
    cases: [],
    engineCases: [],
    close: () => undefined,
  });
  if (folder === undefined) return nothing("set LACONIC_DEVICES to the devices folder");
  const device = source(join(folder, name));
  const { createKernels } = (await import(device.module)) as { createKernels: CreateKernels };
  let kernels: Kernels;
  try {
    kernels = await createKernels(device.options);
  } catch (error) {
    return nothing(String(error));
  }
  // The engine closes its kernels; the next case reuses these.
  const shared: Kernels = { ...kernels, dispose: () => undefined };
  return {
    missing: null,
    cases: [
      ...kernelCases.map((item) => ({ name: item.name, run: async () => item.run(() => kernels) })),
      { name: "runs on a worker thread, and lets the process end", run: () => runsOnWorker(name, device) },
    ],
    engineCases: engineCases.map((item) => ({
      name: `engine: ${item.name}`,
      run: () => item.run(() => createInlineEngine([shared])),
    })),
    close: () => kernels.dispose(),
  };
}

async function runsOnWorker(name: string, device: KernelSource): Promise<void> {
  const engine = await createLocalEngine({ device });
  assert.equal(engine.capabilities.device, name);
  assert.equal(engine.capabilities.deterministic, false);
  await engine.close();
}
