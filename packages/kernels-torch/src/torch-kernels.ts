import { totalmem } from "node:os";
import {
  checkedKernels,
  checkRanges,
  type DeviceMemory,
  type KernelFamily,
  type Kernels,
  rangeOf,
  sizeOf,
} from "@laconic/engine/kernels";
import type { Torch } from "./native/torch.ts";
import { attentionKernels } from "./kernels/attention.ts";
import { cudaAttentionKernels } from "./kernels/cuda-attention.ts";
import { cpuDenseAttention, mathDenseAttention } from "./kernels/dense-attention.ts";
import { elementwiseKernels } from "./kernels/elementwise.ts";
import { headKernels } from "./kernels/head.ts";
import { flashCacheKernels, flashPageSize, type FlashCacheKind } from "./kernels/flash-cache.ts";
import { cacheKernels } from "./kernels/key-value-cache.ts";
import { linearKernels } from "./kernels/linear.ts";
import { normKernels, rotaryKernels, type NormBackward } from "./kernels/norm.ts";
import { optimizerKernels } from "./kernels/optimizer.ts";
import { pieceKernels } from "./kernels/pieces.ts";
import { treeAttentionCost } from "./kernels/tree-attention.ts";
import { rowWriteKernels, rowKernels } from "./kernels/rows.ts";
import { samplingKernels } from "./kernels/sampling.ts";
import { TorchDevice } from "./torch-device.ts";
import { scalarType } from "./native/scalar-type.ts";

/** Memory of the machine or container. */
function hostMemory(): DeviceMemory {
  return { free: process.availableMemory(), total: totalmem(), isHost: true };
}

export type AttentionKind = "fused" | "math";

/** `plain` runs on any device, the others are CUDA's flash attention. */
export type CacheKind = "plain" | FlashCacheKind;

/** Defaults run on any device. */
export interface KernelChoices {
  readonly attention: AttentionKind;
  readonly caching?: CacheKind;
  readonly normBackward?: NormBackward;
  readonly headBytes?: number;
  readonly oneDnnFrom?: number;
  /** Default: true on the CPU only. */
  readonly deterministic?: boolean;
  /** Why fused kernels are not used, for `backend`. */
  readonly notes?: readonly string[];
}

/** On CUDA, fused attention and caches other than `plain` need bfloat16. */
export function torchKernelSet(torch: Torch, dtype: "float32" | "bfloat16", choices: KernelChoices): Kernels {
  const { attention, caching = "plain", headBytes, deterministic = torch.device === "cpu", notes = [] } = choices;
  const { normBackward = torch.device === "cuda" ? "fused" : "composed" } = choices;
  const device = new TorchDevice(torch, dtype);
  const plain = attentionKernels(device, mathDenseAttention(device));
  const fused =
    torch.device === "cpu" ? attentionKernels(device, cpuDenseAttention(device)) : cudaAttentionKernels(device, plain);
  const caches = cacheKernels(device);
  const { major, minor } = torch.library.version;
  return checkedKernels(checkRanges(device.store), {
    device: torch.device,
    backend: [
      `libtorch ${major}.${minor}`,
      ...(attention === "math" ? ["plain attention"] : []),
      ...(caching === "plain" ? [] : [`cache of ${caching}`]),
      ...(deterministic && torch.device === "cuda" ? ["deterministic"] : []),
      ...notes,
    ].join(", "),
    dtype,
    deterministic,
    // Sums depend on the number of rows.
    batchInvariant: false,
    branchCost: treeAttentionCost,
    cachePageSize: caching === "pages" ? flashPageSize : null,
    runsAhead: torch.device === "cuda",
    // Apple's GPUs share the machine's memory.
    memory: () => (torch.device === "cuda" ? (torch.library.deviceMemory?.() ?? null) : hostMemory()),
    counters: () => torch.counters,
    ...(torch.device === "mps" && { fallbacks: () => torch.fallbacks }),
    liveTensors: () => device.store.count,
    dispose: () => device.dispose(),
    ...lifetimeKernels(device),
    ...pieceKernels(device),
    ...elementwiseKernels(device),
    ...rowKernels(device, deterministic),
    ...rowWriteKernels(device),
    ...linearKernels(device, choices.oneDnnFrom),
    ...normKernels(device, normBackward),
    ...rotaryKernels(device),
    ...(attention === "fused" ? fused : plain),
    ...(deterministic && torch.device === "cuda" && { attentionBackward: plain.attentionBackward }),
    ...(caching === "plain" ? caches : flashCacheKernels(device, caching, caches)),
    ...headKernels(device, headBytes),
    ...samplingKernels(device),
    ...optimizerKernels(device),
  });
}

function lifetimeKernels(device: TorchDevice): KernelFamily<"lifetime"> {
  const { store, torch } = device;
  return {
    ...store.kernels(),
    upload(values, shape, precision = "working") {
      if (values instanceof Int32Array)
        return store.adoptInts(
          torch.run(() => torch.upload(values, shape)),
          shape,
          rangeOf(values),
        );
      const floats = values instanceof Float32Array ? values : Float32Array.from(values);
      return device.make(
        shape,
        () => {
          const uploaded = torch.upload(floats, shape);
          return precision === "full" ? uploaded : device.rounded(uploaded);
        },
        precision,
      );
    },
    async read(tensor) {
      const { shape, dtype, precision } = store.get(tensor);
      const handle = device.handle(tensor);
      const isInt = dtype === "int32";
      const values = isInt ? new Int32Array(sizeOf(shape)) : new Float32Array(sizeOf(shape));
      let finish = (): void => undefined;
      torch.run(() => {
        finish = torch.startRead(isInt || precision === "full" ? handle : device.widened(handle), shape, values);
      });
      // More work enqueued before this keeps the device busy.
      await Promise.resolve();
      finish();
      return values;
    },
    zeros: (shape, precision = "working") =>
      device.make(shape, () => torch.full(shape, device.type(precision), 0), precision),
    copy(tensor, precision) {
      const { handle, shape, dtype, range, precision: own } = store.get(tensor);
      const wanted = precision ?? own;
      if (dtype === "int32")
        return store.adoptInts(
          torch.run(() => torch.cast(handle, scalarType.int32, true)),
          shape,
          range,
        );
      if (device.writesInPlace(sizeOf(shape)))
        return device.refill(shape, (out) => torch.copyInto(out, handle), wanted);
      return device.make(shape, () => torch.cast(handle, device.type(wanted), true), wanted);
    },
    reshape(tensor, shape) {
      const torchTensor = store.get(tensor);
      const { dtype, range, precision } = torchTensor;
      if (torchTensor.block) {
        const view = store.view(torchTensor, `shape ${shape.join()}`, () => torch.view(torchTensor.handle, shape));
        return store.adoptShape(view, shape, torchTensor);
      }
      const view = torch.run(() => torch.view(device.handle(tensor), shape));
      return dtype === "int32" ? store.adoptInts(view, shape, range) : store.adoptFloats(view, shape, precision);
    },
  };
}
