import { matrixSize, type Kernels, type Tensor } from "@laconic/engine/kernels";
import { scalarType } from "../native/scalar-type.ts";
import { aten, type Handle, type Handles } from "../native/torch.ts";
import { tileElements, type TorchDevice } from "../torch-device.ts";
import { sumInto } from "./products.ts";

/** `fused` is PyTorch's GPU kernel, which rounds the weight's gradient; `composed` is plain products. */
export type NormBackward = "fused" | "composed";

/** RMSNorm (Zhang and Sennrich 2019) with float32 statistics. Row sums are products with a column. */
export function normKernels(device: TorchDevice, backward: NormBackward): Pick<Kernels, "rmsNorm" | "rmsNormBackward"> {
  const { torch, store } = device;
  const { float32 } = scalarType;
  /** Constant, cached with the weight. */
  const constant = (weight: Tensor, name: string, shape: readonly number[], value: number): Handle =>
    store.derive(store.get(weight), name, () => torch.full(shape, float32, value));

  /** PyTorch's CPU operator takes more and wider steps than these. */
  const composed = (x: Handle, weight: Tensor, rows: number, width: number, epsilon: number): Handles<2> => {
    const mean = constant(weight, "mean", [width, 1], 1 / width);
    const least = constant(weight, `epsilon ${epsilon}`, [1], epsilon);
    const wide = device.widened(x);
    const meanSquare = torch.empty([rows, 1], float32);
    torch.addmmInto(meanSquare, least, torch.call(aten.multiply, wide, wide), mean);
    const inverse = torch.call(aten.rsqrt, meanSquare);
    const normed = torch.call(aten.multiply, wide, inverse);
    torch.call(aten.multiplyInPlace, normed, device.widened(device.handle(weight)));
    return [device.rounded(normed), inverse];
  };
  /** The same in float32 tiles, into existing memory. */
  const composedInto = (x: Tensor, weight: Tensor, epsilon: number, out: Handle, inverse: Handle): void => {
    const [rows, width] = x.shape as readonly [number, number];
    const mean = constant(weight, "mean", [width, 1], 1 / width);
    const least = constant(weight, `epsilon ${epsilon}`, [1], epsilon);
    const [input, w] = [device.handle(x), device.handle(weight)];
    for (const span of device.tiles(rows, width))
      torch.run(() => {
        const [from, to] = [input, out].map((handle) =>
          device.rowsOf({ handle, stride: width }, span, width),
        ) as unknown as Handles<2>;
        const column = torch.view(inverse, [span.count, 1], [1, 1], span.start);
        torch.call(aten.multiplyOut, from, from, to);
        torch.addmmInto(column, least, to, mean);
        torch.call(aten.rsqrtOut, column, column);
        torch.call(aten.multiplyOut, from, column, to);
        torch.call(aten.multiplyOut, to, w, to);
        return [];
      });
  };
  /** Writes dX to `out`. @returns the gradient of the weight */
  const backwardInto = (dOut: Tensor, x: Tensor, weight: Tensor, inverse: Handle, out: Handle): Handle => {
    const [rows, width] = x.shape as readonly [number, number];
    const [d, input, w] = [device.handle(dOut), device.handle(x), device.handle(weight)];
    const sums = torch.empty([1, width], float32);
    const minusMean = device.number(-1 / width);
    device.withRoom(Math.min(rows * width, Math.max(tileElements, width)), (room) => {
      for (const span of device.tiles(rows, width))
        torch.run(() => {
          const { start, count } = span;
          const [ownD, ownX, to] = [d, input, out].map((handle) =>
            device.rowsOf({ handle, stride: width }, span, width),
          ) as unknown as Handles<3>;
          const column = torch.view(inverse, [count, 1], [1, 1], start);
          torch.call(aten.multiplyOut, ownD, ownX, to);
          const row = torch.view(inverse, [1, count], [count, 1], start);
          if (start === 0) torch.mmInto(sums, row, to);
          else torch.addmmInto(sums, sums, row, to);
          const factor = torch.call(aten.mm, to, torch.view(w, [width, 1]));
          for (const each of [column, column, column, minusMean]) torch.call(aten.multiplyInPlace, factor, each);
          const along = torch.view(room, [count, width]);
          torch.call(aten.multiplyOut, ownX, factor, along);
          torch.call(aten.multiplyOut, ownD, w, to);
          torch.call(aten.multiplyOut, to, column, to);
          sumInto(device, to, to, along, count * width);
          return [];
        });
    });
    return torch.view(sums, [width]);
  };
  const fused = (x: Handle, weight: Tensor, width: number, epsilon: number): Handles<2> =>
    torch.callMany(aten.fusedNorm, x, { ints: [width] }, { some: device.handle(weight) }, { some: { float: epsilon } });

  return {
    rmsNorm(x, weight, epsilon) {
      const [rows, width] = matrixSize(x);
      if (device.sumsInPlace(rows * width)) {
        const invRms = device.make([rows], () => torch.empty([rows], float32), "full");
        const out = device.refill(x.shape, (into) => composedInto(x, weight, epsilon, into, invRms.handle));
        return { out, invRms };
      }
      const input = device.handle(x);
      const [out, invRms] = torch.run<Handles<2>>(() => {
        if (rows === 0) return [torch.empty(x.shape, device.working), torch.empty([0], float32)];
        const [normed, inverse] =
          torch.device === "cuda"
            ? fused(input, weight, width, epsilon)
            : composed(input, weight, rows, width, epsilon);
        return [normed, torch.view(inverse, [rows])];
      });
      return { out: store.adoptFloats(out, x.shape), invRms: store.adoptFloats(invRms, [rows], "full") };
    },
    // Composed, with s = 1 / rms: dX = s (d w) - x s^3 / D sum(d w x).
    rmsNormBackward(dOut, x, weight, invRms) {
      const [rows, width] = matrixSize(x);
      if (rows === 0)
        return {
          dX: device.make(x.shape, () => torch.empty(x.shape, device.working)),
          dWeight: device.make([width], () => torch.full([width], float32, 0), "full"),
        };
      if (backward === "composed" && device.sumsInPlace(rows * width)) {
        const dWeight = device.make([width], () => torch.empty([width], float32), "full");
        const dX = device.refill(x.shape, (into) =>
          torch.copyInto(dWeight.handle, backwardInto(dOut, x, weight, device.handle(invRms), into)),
        );
        return { dX, dWeight };
      }
      const [d, input, w, inverse] = [
        device.handle(dOut),
        device.handle(x),
        device.handle(weight),
        device.handle(invRms),
      ];
      const [dX, dWeight] = torch.run<Handles<2>>(() => {
        if (backward === "fused") {
          const column = torch.view(inverse, [rows, 1]);
          const both = { bools: [true, true] };
          const [own, ofWeight] = torch.callMany(
            aten.fusedNormBackward,
            d,
            input,
            { ints: [width] },
            column,
            { some: w },
            both,
          );
          return [own, device.widened(ofWeight)];
        }
        const column = torch.view(inverse, [rows, 1]);
        const [wideD, wideX, wideW] = [device.widened(d), device.widened(input), device.widened(w)];
        const product = torch.call(aten.multiply, wideD, wideX);
        const sums = torch.call(aten.mm, torch.view(inverse, [1, rows]), product);
        const factor = torch.call(aten.mm, product, torch.view(wideW, [width, 1]));
        for (const each of [column, column, column]) torch.call(aten.multiplyInPlace, factor, each);
        const along = torch.call(aten.multiplyOut, wideX, torch.multiplyByNumber(factor, 1 / width), product);
        const straight = torch.call(aten.multiply, wideD, wideW);
        torch.call(aten.multiplyInPlace, straight, column);
        return [device.rounded(torch.subtract(straight, along)), torch.view(sums, [width])];
      });
      return { dX: store.adoptFloats(dX, x.shape), dWeight: store.adoptFloats(dWeight, [width], "full") };
    },
  };
}
