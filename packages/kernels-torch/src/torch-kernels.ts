import { totalmem } from "node:os";
import type { DeviceMemory, Kernels } from "@laconic/kernels";
import type { Torch } from "./native/torch.ts";
import { cpuAttentionKernels } from "./kernels/attention.ts";
import { cudaAttentionKernels } from "./kernels/cuda-attention.ts";
import { elementwiseKernels } from "./kernels/elementwise.ts";
import { headKernels } from "./kernels/head.ts";
import { flashCacheKernels, flashPageSize, type FlashCacheKind } from "./kernels/flash-cache.ts";
import { cacheKernels } from "./kernels/key-value-cache.ts";
import { lifetimeKernels } from "./kernels/lifetime.ts";
import { linearKernels } from "./kernels/linear.ts";
import { mathAttentionKernels } from "./kernels/math-attention.ts";
import { normKernels } from "./kernels/norm.ts";
import { optimizerKernels } from "./kernels/optimizer.ts";
import { pieceKernels } from "./kernels/pieces.ts";
import { rotaryKernels } from "./kernels/rotary.ts";
import { rowWriteKernels } from "./kernels/row-writes.ts";
import { rowKernels } from "./kernels/rows.ts";
import { samplingKernels } from "./kernels/sampling.ts";
import { TorchDevice } from "./torch-device.ts";

/** Of the machine, or of the container that the process runs in. */
function hostMemory(): DeviceMemory {
  return { free: process.availableMemory(), total: totalmem() };
}

/** How attention is computed: `fused` is PyTorch's kernel for the device, `math` plain products. */
export type AttentionKind = "fused" | "math";

/** How caches are read: `plain` by views and copies on any device, the others by CUDA's flash attention. */
export type CacheKind = "plain" | FlashCacheKind;

/** The kernel set on libtorch. On CUDA the fused kernel, and caches other than plain ones, are for bfloat16. */
export function torchKernelSet(
  torch: Torch,
  dtype: "float32" | "bfloat16",
  attention: AttentionKind,
  caching: CacheKind = "plain",
): Kernels {
  const device = new TorchDevice(torch, dtype);
  const plain = mathAttentionKernels(device);
  const fused = torch.device === "cpu" ? cpuAttentionKernels(device) : cudaAttentionKernels(device, plain);
  const caches = cacheKernels(device);
  const { major, minor } = torch.library.version;
  return {
    device: torch.device,
    backend: `libtorch ${major}.${minor}${attention === "math" ? ", plain attention" : ""}${caching === "plain" ? "" : `, cache of ${caching}`}`,
    dtype,
    deterministic: torch.device === "cpu",
    // Its matrix products choose another order of summation for another number of rows.
    batchInvariant: false,
    cachePageSize: caching === "pages" ? flashPageSize : null,
    runsAhead: torch.device === "cuda",
    memory: () => (torch.device === "cpu" ? hostMemory() : (torch.library.deviceMemory?.() ?? null)),
    counters: () => torch.counters,
    liveTensors: () => device.store.count,
    dispose: () => device.dispose(),
    ...lifetimeKernels(device),
    ...pieceKernels(device),
    ...elementwiseKernels(device),
    ...rowKernels(device),
    ...rowWriteKernels(device),
    ...linearKernels(device),
    ...normKernels(device),
    ...rotaryKernels(device),
    ...(attention === "fused" ? fused : plain),
    ...(caching === "plain" ? caches : flashCacheKernels(device, caching, caches)),
    ...headKernels(device),
    ...samplingKernels(device),
    ...optimizerKernels(device),
  };
}
