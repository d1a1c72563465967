import { expectFloats, matrix, type Kernels, type Tensor } from "@laconic/kernels";
import { scalarType } from "../native/scalar-type.ts";
import { operator, type Handle, type Handles } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";

const fusedNorm = operator("aten::_fused_rms_norm", "", 2);
const fusedNormBackward = operator("aten::_fused_rms_norm_backward", "", 2);
const multiply = operator("aten::mul", "Tensor");
const multiplyOut = operator("aten::mul", "out");
const multiplyInto = operator("aten::mul_", "Tensor");
const rsqrt = operator("aten::rsqrt");
const mm = operator("aten::mm");

/** PyTorch's kernel, which the CPU does not have and which rounds the weight's gradient to the working precision, or plain products. */
export type NormBackward = "fused" | "composed";

/** RMSNorm (Zhang and Sennrich 2019); statistics in float32. Sums over a row are products with a column. */
export function normKernels(device: TorchDevice, backward: NormBackward): Pick<Kernels, "rmsNorm" | "rmsNormBackward"> {
  const { torch, store } = device;
  const { float32 } = scalarType;
  /** A column or row of one number, kept with the weight. */
  const constant = (weight: Tensor, name: string, shape: readonly number[], value: number): Handle =>
    store.derive(store.get(weight), name, () => torch.full(shape, float32, value));

  /** On the CPU torch composes the operator of more and wider steps than these. */
  const composed = (x: Handle, weight: Tensor, rows: number, width: number, epsilon: number): Handles<2> => {
    const mean = constant(weight, "mean", [width, 1], 1 / width);
    const least = constant(weight, `epsilon ${epsilon}`, [1], epsilon);
    const wide = device.widened(x);
    const meanSquare = torch.empty([rows, 1], float32);
    torch.addmmInto(meanSquare, least, torch.call(multiply, wide, wide), mean);
    const inverse = torch.call(rsqrt, meanSquare);
    const normed = torch.call(multiply, wide, inverse);
    torch.call(multiplyInto, normed, device.widened(device.handle(weight)));
    return [device.rounded(normed), inverse];
  };
  const fused = (x: Handle, weight: Tensor, width: number, epsilon: number): Handles<2> =>
    torch.callMany(fusedNorm, x, { ints: [width] }, { some: device.handle(weight) }, { some: { float: epsilon } });

  return {
    rmsNorm(x, weight, epsilon) {
      const [rows, width] = matrix(x, "rmsNorm: x");
      expectFloats(weight, [width], "rmsNorm: weight");
      const input = device.handle(x);
      const [out, invRms] = torch.run<Handles<2>>(() => {
        if (rows === 0) return [torch.empty(x.shape, device.working), torch.empty([0], float32)];
        const [normed, inverse] =
          torch.device === "cpu" ? composed(input, weight, rows, width, epsilon) : fused(input, weight, width, epsilon);
        return [normed, torch.view(inverse, [rows])];
      });
      return { out: store.adoptFloats(out, x.shape), invRms: store.adoptFloats(invRms, [rows], "full") };
    },
    // Composed, with s = 1 / rms: dX = s (d w) - x s^3 / D sum(d w x).
    rmsNormBackward(dOut, x, weight, invRms) {
      const [rows, width] = matrix(x, "rmsNormBackward: x");
      expectFloats(dOut, x.shape, "rmsNormBackward: dOut");
      expectFloats(weight, [width], "rmsNormBackward: weight");
      expectFloats(invRms, [rows], "rmsNormBackward: invRms");
      if (rows === 0)
        return {
          dX: device.make(x.shape, () => torch.empty(x.shape, device.working)),
          dWeight: device.make([width], () => torch.full([width], float32, 0), "full"),
        };
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
            fusedNormBackward,
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
        const product = torch.call(multiply, wideD, wideX);
        const sums = torch.call(mm, torch.view(inverse, [1, rows]), product);
        const factor = torch.call(mm, product, torch.view(wideW, [width, 1]));
        for (const each of [column, column, column]) torch.call(multiplyInto, factor, each);
        // In the product's array, which nothing reads again.
        const along = torch.call(multiplyOut, wideX, torch.multiplyByNumber(factor, 1 / width), product);
        const straight = torch.call(multiply, wideD, wideW);
        torch.call(multiplyInto, straight, column);
        return [device.rounded(torch.subtract(straight, along)), torch.view(sums, [width])];
      });
      return { dX: store.adoptFloats(dX, x.shape), dWeight: store.adoptFloats(dWeight, [width], "full") };
    },
  };
}
