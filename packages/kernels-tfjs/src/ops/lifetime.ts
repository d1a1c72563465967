import { rangeOf, sizeOf, type Kernels } from "@laconic/engine/kernels";
import { clone, reshape, tensor, zeros } from "@tensorflow/tfjs-core";
import type { OpsDevice } from "./ops-device.ts";

type Lifetime = "scope" | "keep" | "free" | "upload" | "read" | "zeros" | "copy" | "reshape";

/** How tensors come, go and cross to the host. */
export function lifetimeKernels({ store }: OpsDevice): Pick<Kernels, Lifetime> {
  return {
    ...store.kernels(),
    upload(values, shape) {
      if (values instanceof Int32Array)
        return store.adoptInts(tensor(values.slice(), [...shape], "int32"), rangeOf(values));
      return store.adoptFloats(tensor(Float32Array.from(values), [...shape], "float32"));
    },
    async read(given) {
      const { data, dtype } = store.get(given);
      if (sizeOf(given.shape) === 0) return dtype === "int32" ? new Int32Array() : new Float32Array();
      // A view of the device's memory on some backends: what is read must not change later.
      return ((await data.data()) as Float32Array | Int32Array).slice();
    },
    zeros: (shape) => store.adoptFloats(zeros([...shape])),
    copy(given) {
      const { data, dtype, range } = store.get(given);
      // Data never changes under a TensorFlow.js tensor, so a second one over the same data is a copy.
      return dtype === "int32" ? store.adoptInts(clone(data), range) : store.adoptFloats(clone(data));
    },
    reshape(given, shape) {
      const { data, dtype, range } = store.get(given);
      const reshaped = reshape(data, [...shape]);
      return dtype === "int32" ? store.adoptInts(reshaped, range) : store.adoptFloats(reshaped);
    },
  };
}
