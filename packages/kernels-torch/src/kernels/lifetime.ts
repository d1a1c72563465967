import { rangeOf, sizeOf, type Kernels } from "@laconic/engine/kernels";
import { scalarType } from "../native/scalar-type.ts";
import type { TorchDevice } from "../torch-device.ts";

type Lifetime = "scope" | "keep" | "free" | "upload" | "read" | "zeros" | "copy" | "reshape";

/** How tensors come, go and cross to the host. */
export function lifetimeKernels(device: TorchDevice): Pick<Kernels, Lifetime> {
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
        return [];
      });
      // Who enqueues more work before awaiting this keeps the device busy meanwhile.
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
      const own = store.get(tensor);
      const { dtype, range, precision } = own;
      if (own.block) {
        const view = store.view(own, `shape ${shape.join()}`, () => torch.view(own.handle, shape));
        return store.adoptShape(view, shape, own);
      }
      const view = torch.run(() => torch.view(device.handle(tensor), shape));
      return dtype === "int32" ? store.adoptInts(view, shape, range) : store.adoptFloats(view, shape, precision);
    },
  };
}
