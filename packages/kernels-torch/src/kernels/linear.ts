import { matrixSize, type GradientPlace, type KernelFamily, type Tensor } from "@laconic/engine/kernels";
import { scalarType } from "../native/scalar-type.ts";
import type { Handle } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";
import { fullProduct, hasOneDnn, matrixOf, oneDnnFrom, oneDnnProduct, placeProduct, type Factor } from "./products.ts";

/** Dense products by BLAS, or by oneDNN from `minOneDnn` multiplications. */
export function linearKernels(device: TorchDevice, minOneDnn: number = oneDnnFrom): KernelFamily<"linear"> {
  const { torch, store } = device;
  const bigEnough = hasOneDnn(device) ? Math.max(1, minOneDnn) : Infinity;
  const sizesOf = (x: Tensor, weight: Tensor): readonly [number, number, number] => {
    const [rows] = matrixSize(x);
    const [outer, inner] = matrixSize(weight);
    torch.expectWork(rows * inner * outer);
    return [rows, inner, outer];
  };
  const rowsOf = (x: Tensor): Handle => device.rows(x).handle;
  const turnedWeight = (weight: Tensor, inner: number, outer: number): Handle => {
    const w = device.handle(weight);
    return store.view(store.get(weight), "turned", () => torch.view(w, [inner, outer], [1, inner]));
  };
  const newOnes = (rows: number): Handle => torch.full([1, rows], device.working, 1);
  const parameterGradient = (
    shape: readonly number[],
    gradientPlace: GradientPlace | undefined,
    rows: number,
    factors: () => readonly [Factor, Factor],
  ): Tensor | null => {
    const [height, width] = [shape.length === 1 ? 1 : shape[0], shape.at(-1)] as readonly [number, number];
    if (!gradientPlace)
      return device.make(
        shape,
        () => {
          if (rows === 0) return torch.full(shape, scalarType.float32, 0);
          const [left, right] = factors();
          const product = fullProduct(device, matrixOf(device, left, height, rows), right.handle, [height, width]);
          return torch.view(product, shape);
        },
        "full",
      );
    torch.run(() => {
      if (rows > 0) placeProduct(device, gradientPlace, ...factors(), [height, rows, width]);
      else if (!gradientPlace.add) torch.fill(device.handle(gradientPlace.tensor), 0);
    });
    return null;
  };
  const inputGradient = (
    d: Handle,
    weight: Tensor,
    [rows, inner, outer]: readonly [number, number, number],
    stride: number,
  ): Tensor => {
    if (stride === outer && rows * inner * outer >= bigEnough)
      return device.make([rows, inner], () => oneDnnProduct(device, d, turnedWeight(weight, inner, outer), null));
    return store.refill([rows, inner], device.working, ({ handle }) => {
      if (rows > 0 && inner > 0) torch.mmInto(handle, d, device.handle(weight));
    });
  };
  return {
    linear(x, weight, bias, steady = false) {
      const [rows, inner, outer] = sizesOf(x, weight);
      const [{ handle: left, stride }, row] = [device.rows(x), bias ? device.handle(bias) : null];
      const packed = steady ? device.packed.of(store.get(weight), rows, inner, outer) : null;
      if (packed !== null) return device.make([rows, outer], () => device.packed.product(left, packed, row));
      if (stride === inner && rows * inner * outer >= bigEnough)
        return device.make([rows, outer], () => oneDnnProduct(device, left, device.handle(weight), row));
      return store.refill([rows, outer], device.working, ({ handle }) => {
        const right = turnedWeight(weight, inner, outer);
        if (rows === 0) return;
        if (row === null) torch.mmInto(handle, left, right);
        else torch.addmmInto(handle, row, left, right);
      });
    },
    linearOnto(into, x, weight, bias, steady = false) {
      const [rows, inner, outer] = sizesOf(x, weight);
      if (rows === 0) return;
      const [sum, left] = [rowsOf(into), rowsOf(x)];
      const packed = steady ? device.packed.of(store.get(weight), rows, inner, outer) : null;
      torch.run(() => {
        if (packed !== null)
          torch.copyInto(sum, device.packed.product(left, packed, bias ? device.handle(bias) : null, sum));
        else {
          torch.addmmInto(sum, sum, left, turnedWeight(weight, inner, outer));
          if (bias)
            torch.addmmInto(
              sum,
              sum,
              torch.view(newOnes(rows), [rows, 1]),
              torch.view(device.handle(bias), [1, outer]),
            );
        }
        store.changed(store.get(into));
      });
    },
    headLogits(hidden, weight, steady = false) {
      const [rows, inner, outer] = sizesOf(hidden, weight);
      const left = rowsOf(hidden);
      const packed = steady ? device.packed.of(store.get(weight), rows, inner, outer) : null;
      if (packed !== null) return device.make([rows, outer], () => device.packed.product(left, packed, null), "full");
      return device.make(
        [rows, outer],
        () => fullProduct(device, left, turnedWeight(weight, inner, outer), [rows, outer]),
        "full",
      );
    },
    linearBackward(dOut, x, weight, needs, into = {}) {
      const [rows, inner, outer] = sizesOf(x, weight);
      const { handle: d, stride } = device.rows(dOut);
      const [turned, input] = [
        { handle: d, stride, turned: true },
        { ...device.rows(x), turned: false },
      ];
      const ones = (): Factor => ({ handle: device.ones(rows), stride: rows, turned: false });
      // Largest allocation first: if a later one fails, the gradient in place stays.
      const dX = needs.input ? inputGradient(d, weight, [rows, inner, outer], stride) : null;
      const dWeight = needs.weight && parameterGradient([outer, inner], into.dWeight, rows, () => [turned, input]);
      const dBias =
        needs.bias && parameterGradient([outer], into.dBias, rows, () => [ones(), { ...turned, turned: false }]);
      return {
        ...(dX && { dX }),
        ...(dWeight && { dWeight }),
        ...(dBias && { dBias }),
      };
    },
  };
}
