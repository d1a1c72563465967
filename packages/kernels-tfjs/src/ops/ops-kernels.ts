import { checkedKernels, type Kernels } from "@laconic/engine/kernels";
import { attentionKernels } from "./attention.ts";
import { pieceKernels } from "./pieces.ts";
import { elementwiseKernels } from "./elementwise.ts";
import { headKernels } from "./head.ts";
import { cacheKernels } from "./key-value-cache.ts";
import { lifetimeKernels } from "./lifetime.ts";
import { linearKernels } from "./linear.ts";
import { normKernels } from "./norm.ts";
import { OpsDevice, type OpsBackend } from "./ops-device.ts";
import { optimizerKernels } from "./optimizer.ts";
import { rotaryKernels } from "./rotary.ts";
import { rowWriteKernels } from "./row-writes.ts";
import { rowKernels } from "./rows.ts";
import { samplingKernels } from "./sampling.ts";

/** The kernel set of any TensorFlow.js backend, by its operations alone. The backend is the current one. */
export function opsKernelSet(backend: OpsBackend): Kernels {
  const device = new OpsDevice(backend);
  const { liveCaches, ...caches } = cacheKernels(device);
  return checkedKernels({
    device: backend.device,
    backend: backend.library,
    dtype: "float32",
    // Products choose their order of additions by shape, and scattered sums may run in parallel.
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
