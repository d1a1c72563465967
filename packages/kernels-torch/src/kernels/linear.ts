import { expectFloats, matrix, type Kernels, type Tensor } from "@laconic/kernels";
import { scalarType } from "../native/scalar-type.ts";
import { operator, type Handle } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";

const mm = operator("aten::mm");
const mmWide = operator("aten::mm", "dtype");

/** Dense products, each one call of the BLAS library. */
export function linearKernels(device: TorchDevice): Pick<Kernels, "linear" | "linearBackward" | "headLogits"> {
  const { torch } = device;
  const expectInputs = (x: Tensor, weight: Tensor, place: string): readonly [number, number, number] => {
    const [rows] = matrix(x, `${place}: x`);
    const [outer, inner] = matrix(weight, `${place}: weight`);
    expectFloats(x, [rows, inner], `${place}: x`);
    torch.expectWork(rows * inner * outer);
    return [rows, inner, outer];
  };
  return {
    linear(x, weight, bias) {
      const [rows, inner, outer] = expectInputs(x, weight, "linear");
      if (bias) expectFloats(bias, [outer], "linear: bias");
      const [left, w, row] = [device.handle(x), device.handle(weight), bias ? device.handle(bias) : null];
      return device.make([rows, outer], () => {
        const right = torch.view(w, [inner, outer], [1, inner]);
        const out = torch.empty([rows, outer], device.working);
        if (rows === 0) return out;
        if (row === null) torch.mmInto(out, left, right);
        else torch.addmmInto(out, row, left, right);
        return out;
      });
    },
    headLogits(hidden, weight) {
      const [rows, inner, outer] = expectInputs(hidden, weight, "headLogits");
      const [left, w] = [device.handle(hidden), device.handle(weight)];
      return device.make(
        [rows, outer],
        () => wideProduct(device, left, torch.view(w, [inner, outer], [1, inner])),
        "full",
      );
    },
    linearBackward(dOut, x, weight, needs) {
      const [rows, inner, outer] = expectInputs(x, weight, "linearBackward");
      expectFloats(dOut, [rows, outer], "linearBackward: dOut");
      const [d, left, w] = [device.handle(dOut), device.handle(x), device.handle(weight)];
      const zeros = (shape: readonly number[]): Handle => torch.full(shape, scalarType.float32, 0);
      return {
        ...(needs.input && { dX: device.make([rows, inner], () => torch.call(mm, d, w)) }),
        ...(needs.weight && {
          dWeight: device.make(
            [outer, inner],
            () =>
              rows === 0 ? zeros([outer, inner]) : wideProduct(device, torch.view(d, [outer, rows], [1, outer]), left),
            "full",
          ),
        }),
        ...(needs.bias && {
          dBias: device.make(
            [outer],
            () => (rows === 0 ? zeros([outer]) : torch.view(columnSums(device, d, rows), [outer])),
            "full",
          ),
        }),
      };
    },
  };
}

/** a b in float32, whatever the working precision. */
export function wideProduct(device: TorchDevice, a: Handle, b: Handle): Handle {
  const { torch, working } = device;
  if (working === scalarType.float32) return torch.call(mm, a, b);
  if (torch.device === "cuda") return torch.call(mmWide, a, b, { type: scalarType.float32 });
  return device.widened(torch.call(mm, a, b));
}

/** Sums over the rows of a matrix, [1, width] in float32: a product with ones, since `sum` takes an optional list. */
function columnSums(device: TorchDevice, x: Handle, rows: number): Handle {
  return wideProduct(device, device.torch.full([1, rows], device.working, 1), x);
}
