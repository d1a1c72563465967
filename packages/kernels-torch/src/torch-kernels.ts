import type { Kernels } from "@laconic/engine/kernels";
import type { Torch } from "./native/torch.ts";
import { cpuAttentionKernels } from "./kernels/attention.ts";
import { elementwiseKernels } from "./kernels/elementwise.ts";
import { headKernels } from "./kernels/head.ts";
import { cacheKernels } from "./kernels/key-value-cache.ts";
import { lifetimeKernels } from "./kernels/lifetime.ts";
import { linearKernels } from "./kernels/linear.ts";
import { normKernels } from "./kernels/norm.ts";
import { optimizerKernels } from "./kernels/optimizer.ts";
import { rotaryKernels } from "./kernels/rotary.ts";
import { rowKernels } from "./kernels/rows.ts";
import { samplingKernels } from "./kernels/sampling.ts";
import { TorchDevice } from "./torch-device.ts";

/** The kernel set on libtorch. */
export function torchKernelSet(torch: Torch, dtype: "float32" | "bfloat16"): Kernels {
  const device = new TorchDevice(torch, dtype);
  const { liveCaches: _, ...caching } = cacheKernels(device);
  const { major, minor } = torch.library.version;
  return {
    device: torch.device,
    backend: `libtorch ${major}.${minor}`,
    dtype,
    deterministic: torch.device === "cpu",
    memory: () => null,
    liveTensors: () => device.store.count,
    dispose: () => device.store.dispose(),
    ...lifetimeKernels(device),
    ...elementwiseKernels(device),
    ...rowKernels(device),
    ...linearKernels(device),
    ...normKernels(device),
    ...rotaryKernels(device),
    ...cpuAttentionKernels(device),
    ...caching,
    ...headKernels(device),
    ...samplingKernels(device),
    ...optimizerKernels(device),
  };
}
