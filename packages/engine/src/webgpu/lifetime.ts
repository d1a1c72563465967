import { rangeOf, type Kernels } from "../kernels/index.ts";
import type { GpuDevice } from "./gpu-device.ts";

type Lifetime = "scope" | "keep" | "free" | "upload" | "read" | "zeros" | "copy" | "reshape";

/** How tensors come, go and cross to the host. */
export function lifetimeKernels(device: GpuDevice): Pick<Kernels, Lifetime> {
  const { runner, store } = device;
  return {
    ...store.kernels(),
    upload(values, shape) {
      const data = runner.upload(values, shape);
      return values instanceof Int32Array ? store.adoptInts(data, rangeOf(values)) : store.adoptFloats(data);
    },
    read: (given) => runner.read(store.get(given).data),
    zeros: (shape) => device.zeros(shape),
    copy(given) {
      const { data, dtype, range } = store.get(given);
      return dtype === "int32" ? store.adoptInts(data.view(), range) : store.adoptFloats(data.view());
    },
    reshape(given, shape) {
      const { data, dtype, range } = store.get(given);
      return dtype === "int32" ? store.adoptInts(data.view(shape), range) : store.adoptFloats(data.view(shape));
    },
  };
}
