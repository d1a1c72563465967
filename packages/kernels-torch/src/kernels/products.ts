import { cpus } from "node:os";
import type { GradientPlace } from "@laconic/engine/kernels";
import { scalarType } from "../native/scalar-type.ts";
import { aten, type Handle } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";

type Size = readonly [rows: number, columns: number];

/**
 * Multiplications from which a product is oneDNN's. MKL takes AVX-512 on Intel's processors only: on others oneDNN needs 0.8 to 0.95
 * of its time, but for small products, where the call around it costs more.
 */
export const oneDnnFrom: number = (cpus()[0]?.model.includes("Intel") ?? false) ? Infinity : 2 ** 24;

/** Whether oneDNN has products for the device's rows. */
export function hasOneDnn({ torch, working }: TorchDevice): boolean {
  return torch.device === "cpu" && working === scalarType.float32 && torch.library.shims.has(aten.oneDnnLinear.name);
}

/** x w^T + bias; x is contiguous, w [outer, inner] of any strides. */
export function oneDnnProduct({ torch }: TorchDevice, x: Handle, w: Handle, bias: Handle | null): Handle {
  return torch.call(aten.oneDnnLinear, x, w, bias === null ? null : { some: bias }, { text: "none" }, null, null);
}

function product(device: TorchDevice, a: Handle, b: Handle, size: Size): Handle {
  const { torch } = device;
  const out = torch.empty(size, device.working);
  if (size[0] > 0 && size[1] > 0) torch.mmInto(out, a, b);
  return out;
}

/** a b in float32, whatever the working precision. */
export function fullProduct(device: TorchDevice, a: Handle, b: Handle, size: Size): Handle {
  const { torch, working } = device;
  if (working !== scalarType.float32 && torch.device === "cuda")
    return torch.call(aten.mmWide, a, b, { type: scalarType.float32 });
  return device.widened(product(device, a, b, size));
}

/** A factor of a product by its stored rows, `stride` elements apart; where it is `turned`, by its columns. */
export interface Factor {
  readonly handle: Handle;
  readonly stride: number;
  readonly turned: boolean;
}

/** left right in float32 over what is in its place, or on top of it; the right factor is not turned. */
export function placeProduct(
  device: TorchDevice,
  place: GradientPlace,
  left: Factor,
  right: Factor,
  [rows, inner, columns]: readonly [rows: number, inner: number, columns: number],
): void {
  const { torch, store, working } = device;
  const sum = torch.view(device.handle(place.tensor), [rows, columns]);
  const a = matrixOf(device, left, rows, inner);
  if (working === scalarType.float32) {
    if (place.add) torch.addmmInto(sum, sum, a, right.handle);
    else torch.mmInto(sum, a, right.handle);
  } else
    torch.run(() => {
      const made = fullProduct(device, a, right.handle, [rows, columns]);
      if (place.add) addInPlace(device, sum, made, rows * columns);
      else torch.copyInto(sum, made);
      return [];
    });
  store.changed(store.get(place.tensor));
}

/** A factor as a matrix [rows, columns]. */
export function matrixOf(
  { torch }: TorchDevice,
  { handle, stride, turned }: Factor,
  rows: number,
  columns: number,
): Handle {
  return turned ? torch.view(handle, [rows, columns], [1, stride]) : handle;
}

/** out = a + b for contiguous float32 memory; `a` may be `out` itself. */
export function sumInto(device: TorchDevice, out: Handle, a: Handle, b: Handle, length: number): void {
  const { torch } = device;
  const row = torch.view(out, [1, length]);
  const first = a === out ? row : torch.view(a, [1, length]);
  torch.addmmInto(row, first, device.number(1), torch.view(b, [1, length]));
}

/**
 * into += delta for contiguous float32 memory: a product with the matrix [1], because `add_` takes a Scalar, which the
 * stable interface cannot pass (seen up to 2.14.1).
 */
export function addInPlace(device: TorchDevice, into: Handle, delta: Handle, length: number): void {
  sumInto(device, into, into, delta, length);
}
