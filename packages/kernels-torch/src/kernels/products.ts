import { cpus } from "node:os";
import type { GradientPlace } from "@laconic/engine/kernels";
import { scalarType } from "../native/scalar-type.ts";
import { aten, type Handle } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";

export type Size = readonly [rows: number, columns: number];

/**
 * Min multiplications for oneDNN. MKL uses AVX-512 only on Intel; elsewhere oneDNN takes 0.8 to 0.95 of its time,
 * except for small products.
 */
export const oneDnnFrom: number = (cpus()[0]?.model.includes("Intel") ?? false) ? Infinity : 2 ** 24;

export function hasOneDnn({ torch, working }: TorchDevice): boolean {
  return torch.device === "cpu" && working === scalarType.float32 && torch.library.shims.has(aten.oneDnnLinear.name);
}

/** x w^T + bias; x is contiguous. */
export function oneDnnProduct({ torch }: TorchDevice, x: Handle, w: Handle, bias: Handle | null): Handle {
  return torch.call(aten.oneDnnLinear, x, w, bias === null ? null : { some: bias }, { text: "none" }, null, null);
}

/** a b in float32. */
export function fullProduct(device: TorchDevice, a: Handle, b: Handle, size: Size): Handle {
  const { torch, working } = device;
  if (working !== scalarType.float32 && torch.device === "cuda")
    return torch.call(aten.mmWide, a, b, { type: scalarType.float32 });
  const product = torch.empty(size, working);
  if (size[0] > 0 && size[1] > 0) torch.mmInto(product, a, b);
  return device.widened(product);
}

/** Factor by its rows, `stride` elements apart; transposed if `turned`. */
export interface Factor {
  readonly handle: Handle;
  readonly stride: number;
  readonly turned: boolean;
}

/** Writes or adds left right in float32. */
export function placeProduct(
  device: TorchDevice,
  gradientPlace: GradientPlace,
  left: Factor,
  right: Factor,
  [rows, inner, columns]: readonly [rows: number, inner: number, columns: number],
): void {
  const { torch, store, working } = device;
  const sum = torch.view(device.handle(gradientPlace.tensor), [rows, columns]);
  const a = matrixOf(device, left, rows, inner);
  if (working === scalarType.float32) {
    if (gradientPlace.add) torch.addmmInto(sum, sum, a, right.handle);
    else torch.mmInto(sum, a, right.handle);
  } else
    torch.run(() => {
      const made = fullProduct(device, a, right.handle, [rows, columns]);
      if (gradientPlace.add) addInPlace(device, sum, made, rows * columns);
      else torch.copyInto(sum, made);
    });
  store.changed(store.get(gradientPlace.tensor));
}

export function matrixOf(
  { torch }: TorchDevice,
  { handle, stride, turned }: Factor,
  rows: number,
  columns: number,
): Handle {
  return turned ? torch.view(handle, [rows, columns], [1, stride]) : handle;
}

/** out = a + b for contiguous float32 memory; `a` may be `out`. */
export function sumInto(device: TorchDevice, out: Handle, a: Handle, b: Handle, length: number): void {
  const { torch } = device;
  const row = torch.view(out, [1, length]);
  const first = a === out ? row : torch.view(a, [1, length]);
  torch.addmmInto(row, first, device.number(1), torch.view(b, [1, length]));
}

/**
 * into += delta for contiguous float32 memory, as a product with [1]. The stable interface has no Scalar for `add_`
 * (up to 2.14.1).
 */
export function addInPlace(device: TorchDevice, into: Handle, delta: Handle, length: number): void {
  sumInto(device, into, into, delta, length);
}
