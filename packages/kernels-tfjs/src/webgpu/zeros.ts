import type { Kernels } from "@laconic/kernels";
import type { GpuDevice } from "./gpu-device.ts";

/** Zeros that are made on the device. */
export function zeroKernels(device: GpuDevice): Pick<Kernels, "zeros" | "together"> {
  return {
    zeros: (shape) => device.blank(shape, true),
    together: (shapes) => shapes.map((shape) => device.blank(shape, true)),
  };
}
