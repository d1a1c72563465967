import { LaconicError } from "@laconic/core";
import { expectInts, sizeOf, type Precision, type Tensor } from "@laconic/kernels";
import type { Handle, Torch } from "./native/torch.ts";
import { scalarType, type ScalarType } from "./native/scalar-type.ts";
import { TensorStore, type TorchTensor } from "./tensors.ts";

/** What all kernels work with: libtorch, the tensors, and the working precision. */
export class TorchDevice {
  readonly torch: Torch;
  readonly store: TensorStore;
  readonly working: ScalarType;

  constructor(torch: Torch, dtype: "float32" | "bfloat16") {
    this.torch = torch;
    this.store = new TensorStore(torch);
    this.working = scalarType[dtype];
  }

  type(precision: Precision): ScalarType {
    return precision === "full" ? scalarType.float32 : this.working;
  }

  handle(tensor: Tensor): Handle {
    return this.store.get(tensor).handle;
  }

  /** A new tensor out of a kernel whose result is contiguous. */
  make(shape: readonly number[], body: () => Handle, precision: Precision = "working"): TorchTensor {
    return this.store.adoptFloats(this.torch.run(body), shape, precision);
  }

  /** The result of a kernel in the working precision: what was computed wider is rounded. */
  rounded(x: Handle): Handle {
    return this.working === scalarType.float32 ? x : this.torch.cast(x, this.working);
  }

  /** The same values in float32; the tensor itself where it is that already. */
  widened(x: Handle): Handle {
    return this.working === scalarType.float32 ? x : this.torch.cast(x, scalarType.float32);
  }

  /** Row numbers as torch wants them, kept with the tensor. */
  indices(tensor: Tensor): Handle {
    const ints = this.store.get(tensor);
    return this.store.derive(ints, "int64", () => this.torch.cast(ints.handle, scalarType.int64));
  }

  /** @throws LaconicError `input_invalid` when `ids` is not a list of `length` integers in [0, limit): the device would read elsewhere. */
  expectIndices(ids: Tensor, length: number, limit: number, place: string): void {
    expectInts(ids, length, place);
    const [least, most] = this.store.get(ids).range;
    if (sizeOf(ids.shape) === 0 || (least >= 0 && most < limit)) return;
    const index = least < 0 ? least : most;
    throw new LaconicError("input_invalid", `${place}: index ${index} is outside [0, ${limit})`, { index });
  }
}
