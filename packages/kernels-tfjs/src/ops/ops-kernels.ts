import { checkedKernels, checkRanges, type KernelFamily, type Kernels, rangeOf, sizeOf } from "@laconic/engine/kernels";
import { attentionKernels } from "./attention.ts";
import { pieceKernels, rowWriteKernels, rowKernels } from "./rows.ts";
import { elementwiseKernels } from "./elementwise.ts";
import { headKernels } from "./head.ts";
import { cacheKernels } from "./key-value-cache.ts";
import { linearKernels } from "./linear.ts";
import { normKernels, rotaryKernels } from "./norm.ts";
import { OpsDevice, type OpsBackend } from "./ops-device.ts";
import { optimizerKernels } from "./optimizer.ts";
import { samplingKernels } from "./sampling.ts";
import { clone, reshape, tensor, zeros } from "@tensorflow/tfjs-core";

export function opsKernelSet(backend: OpsBackend): Kernels {
  const device = new OpsDevice(backend);
  const { liveCaches, ...caches } = cacheKernels(device);
  return checkedKernels(checkRanges(device.store), {
    device: backend.device,
    backend: backend.library,
    dtype: "float32",
    // Orders of sums depend on shapes; scattered sums may run in parallel.
    deterministic: false,
    batchInvariant: false,
    cachePageSize: null,
    memory: () => null,
    liveTensors: () => device.store.count + liveCaches(),
    dispose: () => {
      device.store.dispose();
      backend.dispose();
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

function lifetimeKernels({ store }: OpsDevice): KernelFamily<"lifetime"> {
  return {
    ...store.kernels(),
    upload(values, shape) {
      if (values instanceof Int32Array)
        return store.adoptInts(tensor(values.slice(), [...shape], "int32"), rangeOf(values));
      return store.adoptFloats(tensor(Float32Array.from(values), [...shape], "float32"));
    },
    async read(input) {
      const { data, dtype } = store.get(input);
      if (sizeOf(input.shape) === 0) return dtype === "int32" ? new Int32Array() : new Float32Array();
      // Some backends return a view of device memory.
      return ((await data.data()) as Float32Array | Int32Array).slice();
    },
    zeros: (shape) => store.adoptFloats(zeros([...shape])),
    // The data is immutable, so a clone is a copy.
    copy: (input) => store.adoptLike(input, clone(store.get(input).data)),
    reshape: (input, shape) => store.adoptLike(input, reshape(store.get(input).data, [...shape])),
  };
}
