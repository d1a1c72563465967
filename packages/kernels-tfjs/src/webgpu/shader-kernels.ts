import type { Kernels } from "@laconic/kernels";
import { attentionKernels } from "./attention.ts";
import { elementwiseKernels } from "./elementwise.ts";
import type { GpuDevice } from "./gpu-device.ts";
import { headKernels } from "./head.ts";
import { linearKernels } from "./linear.ts";
import { normKernels } from "./norm.ts";
import { optimizerKernels } from "./optimizer.ts";
import { rotaryKernels } from "./rotary.ts";
import { samplingKernels } from "./sampling.ts";

/** What compute shaders of our own do in place of TensorFlow.js's operations. */
export function shaderKernels(device: GpuDevice): Partial<Kernels> {
  return {
    ...zeroKernels(device),
    ...elementwiseKernels(device),
    ...linearKernels(device),
    ...normKernels(device),
    ...rotaryKernels(device),
    ...attentionKernels(device),
    ...headKernels(device),
    ...samplingKernels(device),
    ...optimizerKernels(device),
  };
}

/** Zeros that are made on the device. */
function zeroKernels(device: GpuDevice): Pick<Kernels, "zeros" | "together"> {
  return {
    zeros: (shape) => device.blank(shape, true),
    together: (shapes) => shapes.map((shape) => device.blank(shape, true)),
  };
}
