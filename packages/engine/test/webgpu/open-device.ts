import { join } from "node:path";
import type { Kernels, KernelSource } from "../../src/kernels/index.ts";
import { createKernels, webGpuKernels } from "../../src/webgpu/index.ts";

/** Kernel set in this thread, if `laconic doctor --enable webgpu` has installed Dawn in LACONIC_DEVICES. */
export async function openDevice(): Promise<{
  readonly source: KernelSource;
  readonly kernels: Kernels | null;
  readonly missing: string | null;
}> {
  const folder = process.env["LACONIC_DEVICES"];
  const source = webGpuKernels({ ...(folder !== undefined && { modules: join(folder, "webgpu") }) });
  if (folder === undefined) return { source, kernels: null, missing: "set LACONIC_DEVICES to the devices folder" };
  try {
    return { source, kernels: await createKernels(source.options), missing: null };
  } catch (error) {
    return { source, kernels: null, missing: String(error) };
  }
}
