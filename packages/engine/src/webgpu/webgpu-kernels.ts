import { checkedKernels, type Kernels } from "../kernels/index.ts";
import { attentionKernels } from "./attention.ts";
import { elementwiseKernels } from "./elementwise.ts";
import { GpuDevice } from "./gpu-device.ts";
import { headKernels } from "./head.ts";
import { cacheKernels } from "./key-value-cache.ts";
import { lifetimeKernels } from "./lifetime.ts";
import { linearKernels } from "./linear.ts";
import { normKernels } from "./norm.ts";
import type { OpenGpu } from "./open-gpu.ts";
import { optimizerKernels } from "./optimizer.ts";
import { pieceKernels } from "./pieces.ts";
import { ProgramRunner } from "./program-runner.ts";
import { rotaryKernels } from "./rotary.ts";
import { rowWriteKernels } from "./row-writes.ts";
import { rowKernels } from "./rows.ts";
import { samplingKernels } from "./sampling.ts";

/** The kernel set on a device, which it closes when it is disposed of. */
export function webGpuKernelSet(gpu: OpenGpu): Kernels {
  const runner = new ProgramRunner(gpu);
  const device = new GpuDevice(runner);
  const { liveCaches, ...caches } = cacheKernels(device);
  return checkedKernels({
    device: "webgpu",
    backend: `wgsl, ${gpu.adapter}`,
    ...(gpu.emulated && { emulated: true }),
    dtype: "float32",
    // Products choose their tiles by shape, and compilers may contract products and sums as they like.
    deterministic: false,
    batchInvariant: false,
    cachePageSize: 64,
    memory: () => null,
    counters: () => runner.counters(),
    liveTensors: () => device.store.count + liveCaches(),
    dispose: () => {
      device.store.dispose();
      runner.dispose();
    },
    ...lifetimeKernels(device),
    ...pieceKernels(device),
    ...elementwiseKernels(device),
    ...rowKernels(device),
    ...rowWriteKernels(device),
    ...linearKernels(device),
    ...normKernels(device),
    ...rotaryKernels(device),
    ...attentionKernels(device),
    ...caches,
    ...headKernels(device),
    ...samplingKernels(device),
    ...optimizerKernels(device),
  });
}
