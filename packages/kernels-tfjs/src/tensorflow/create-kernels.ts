import { LaconicError } from "@laconic/core";
import type { CreateKernels, KernelSource } from "@laconic/engine/kernels";
import { claiming } from "../claim-backend.ts";
import { opsKernelSet } from "../ops/ops-kernels.ts";
import { openTensorFlow } from "./open-tensorflow.ts";

/**
 * Starts TensorFlow through `@tensorflow/tfjs-node`, or `@tensorflow/tfjs-node-gpu` for `gpu: true`. Options: `gpu`, and
 * `modules`, a folder whose `node_modules` hold the optional package.
 * @throws LaconicError `device_unavailable` with what is missing, `config_invalid` on an unknown option
 */
export const createKernels: CreateKernels = async (options = {}) => {
  const unknown = Object.keys(options).find((key) => key !== "modules" && key !== "gpu");
  if (unknown !== undefined)
    throw new LaconicError("config_invalid", `the tensorflow kernels take gpu and modules, got "${unknown}"`, {
      key: unknown,
    });
  const gpu = options["gpu"] === true;
  const { modules } = options;
  const device = gpu ? "tensorflow-gpu" : "tensorflow";
  return claiming(device, async (release) => {
    const { version, putRows } = await openTensorFlow(gpu, typeof modules === "string" ? modules : undefined);
    return opsKernelSet({
      device,
      library: `TensorFlow ${version}`,
      maxElements: 1 << 26,
      putRows,
      dispose: release,
    });
  });
};

/** TensorFlow's own kernels on the processor, or on CUDA for `gpu: true`; float32. */
export function tensorFlowKernels(options: { readonly gpu?: boolean; readonly modules?: string } = {}): KernelSource {
  return {
    device: options.gpu ? "tensorflow-gpu" : "tensorflow",
    module: import.meta.url,
    options: { ...options },
  };
}
