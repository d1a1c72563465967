import { expectFloats, matrix, type Kernels } from "@laconic/engine/kernels";
import { scalarType } from "../native/scalar-type.ts";
import { operator, type Handles } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";

const fusedNorm = operator("aten::_fused_rms_norm", "", 2);
const multiply = operator("aten::mul", "Tensor");
const mm = operator("aten::mm");

/** RMSNorm (Zhang and Sennrich 2019); statistics in float32. */
export function normKernels(device: TorchDevice): Pick<Kernels, "rmsNorm" | "rmsNormBackward"> {
  const { torch, store } = device;
  return {
    rmsNorm(x, weight, epsilon) {
      const [rows, width] = matrix(x, "rmsNorm: x");
      expectFloats(weight, [width], "rmsNorm: weight");
      const [input, w] = [device.handle(x), device.handle(weight)];
      const [out, invRms] = torch.run<Handles<2>>(() => {
        const [normed, inverse] = torch.callMany(
          fusedNorm,
          input,
          { ints: [width] },
          { some: w },
          { some: { float: epsilon } },
        );
        // On the CPU the reciprocal comes in the input's precision.
        return [normed, torch.view(torch.cast(inverse, scalarType.float32), [rows])];
      });
      return { out: store.adopt(out, x.shape), invRms: store.adopt(invRms, [rows], "full") };
    },
    // Composed: the fused backward has no CPU kernel.
    rmsNormBackward(dOut, x, weight, invRms) {
      const [rows, width] = matrix(x, "rmsNormBackward: x");
      expectFloats(dOut, x.shape, "rmsNormBackward: dOut");
      expectFloats(weight, [width], "rmsNormBackward: weight");
      expectFloats(invRms, [rows], "rmsNormBackward: invRms");
      const [d, input, w, inverse] = [dOut, x, weight, invRms].map((tensor) => device.handle(tensor)) as [
        number,
        number,
        number,
        number,
      ];
      if (rows === 0)
        return {
          dX: device.make(x.shape, () => torch.empty(x.shape, device.working)),
          dWeight: device.make([width], () => torch.full([width], scalarType.float32, 0), "full"),
        };
      const [dX, dWeight] = torch.run<Handles<2>>(() => {
        const column = torch.view(inverse, [rows, 1]);
        const wideD = device.widened(d);
        const normed = torch.call(multiply, device.widened(input), column);
        const scaled = torch.call(multiply, wideD, device.widened(w));
        const product = torch.call(multiply, scaled, normed);
        const means = torch.call(mm, product, torch.full([width, 1], scalarType.float32, 1 / width));
        const centred = torch.subtract(scaled, torch.call(multiply, normed, means));
        const sums = torch.call(mm, torch.full([1, rows], scalarType.float32, 1), torch.call(multiply, wideD, normed));
        return [device.rounded(torch.call(multiply, centred, column)), torch.view(sums, [width])];
      });
      return { dX: store.adopt(dX, x.shape), dWeight: store.adopt(dWeight, [width], "full") };
    },
  };
}
