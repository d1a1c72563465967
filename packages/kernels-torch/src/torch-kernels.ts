import type { Kernels } from "@laconic/kernels";
import type { Torch } from "./native/torch.ts";
import { cpuAttentionKernels } from "./kernels/attention.ts";
import { cudaAttentionKernels } from "./kernels/cuda-attention.ts";
import { elementwiseKernels } from "./kernels/elementwise.ts";
import { headKernels } from "./kernels/head.ts";
import { cacheKernels } from "./kernels/key-value-cache.ts";
import { lifetimeKernels } from "./kernels/lifetime.ts";
import { linearKernels } from "./kernels/linear.ts";
import { mathAttentionKernels } from "./kernels/math-attention.ts";
import { normKernels } from "./kernels/norm.ts";
import { optimizerKernels } from "./kernels/optimizer.ts";
import { pieceKernels } from "./kernels/pieces.ts";
import { rotaryKernels } from "./kernels/rotary.ts";
import { rowKernels } from "./kernels/rows.ts";
import { samplingKernels } from "./kernels/sampling.ts";
import { TorchDevice } from "./torch-device.ts";

/** How attention is computed: `fused` is PyTorch's kernel for the device, `math` plain products. */
export type AttentionKind = "fused" | "math";

/**
 * The kernel set on libtorch. On CUDA the fused kernel is for bfloat16.
 *
 * @param headBytes - most bytes that a tile of the head holds
 */
export function torchKernelSet(
  torch: Torch,
  dtype: "float32" | "bfloat16",
  attention: AttentionKind,
  headBytes?: number,
): Kernels {
  const device = new TorchDevice(torch, dtype);
  const plain = mathAttentionKernels(device);
  const fused = torch.device === "cpu" ? cpuAttentionKernels(device) : cudaAttentionKernels(device, plain);
  const { major, minor } = torch.library.version;
  return {
    device: torch.device,
    backend: `libtorch ${major}.${minor}${attention === "math" ? ", plain attention" : ""}`,
    dtype,
    deterministic: torch.device === "cpu",
    // Its matrix products choose another order of summation for another number of rows.
    batchInvariant: false,
    cachePageSize: null,
    memory: () => torch.library.deviceMemory?.() ?? null,
    liveTensors: () => device.store.count,
    dispose: () => device.dispose(),
    ...lifetimeKernels(device),
    ...pieceKernels(device),
    ...elementwiseKernels(device),
    ...rowKernels(device),
    ...linearKernels(device),
    ...normKernels(device),
    ...rotaryKernels(device),
    ...(attention === "fused" ? fused : plain),
    ...cacheKernels(device),
    ...headKernels(device, headBytes),
    ...samplingKernels(device),
    ...optimizerKernels(device),
  };
}
