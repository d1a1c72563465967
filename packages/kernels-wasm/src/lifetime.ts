import type { Kernels, Tensor } from "@laconic/kernels";
import type { WasmDevice } from "./wasm-device.ts";

type Lifetime = "scope" | "keep" | "free" | "upload" | "read" | "zeros" | "copy";

/** How tensors come, go and cross to the host. */
export function lifetimeKernels({ store }: WasmDevice): Pick<Kernels, Lifetime> {
  return {
    ...store.kernels(),
    upload: (values, shape) => store.upload(values, shape),
    read: async (tensor: Tensor) => {
      const { buffer } = store.bytes(tensor).slice();
      return tensor.dtype === "int32" ? new Int32Array(buffer) : new Float32Array(buffer);
    },
    zeros: (shape) => store.zeros(shape),
    copy: (tensor) => {
      const out = store.allocate(tensor.shape, tensor.dtype);
      store.bytes(out).set(store.bytes(tensor));
      return out;
    },
  };
}
