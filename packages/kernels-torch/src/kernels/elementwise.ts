import {
  gateCurves,
  isSilu,
  matrixSize,
  sizeOf,
  type GateCurve,
  type KernelFamily,
  type Tensor,
} from "@laconic/engine/kernels";
import { scalarType } from "../native/scalar-type.ts";
import { aten, type Handle, type Handles } from "../native/torch.ts";
import type { TorchTensor } from "../tensors.ts";
import type { TorchDevice } from "../torch-device.ts";
import { addInPlace, sumInto } from "./products.ts";

export function elementwiseKernels(device: TorchDevice): KernelFamily<"elementwise"> {
  const { store, torch } = device;
  const columnsOf = (x: Handle, rows: number, width: number, start: number): Handle =>
    torch.view(x, [rows, width], [2 * width, 1], start);
  const bend = (x: Handle, { slope, cubic }: GateCurve): Handle =>
    torch.add(torch.multiplyByNumber(x, slope), torch.multiply(torch.multiply(x, x), x), cubic);
  const activated = (g: Handle, curve: GateCurve): Handle =>
    isSilu(curve) ? torch.call(aten.silu, g) : torch.multiply(g, torch.call(aten.sigmoid, bend(g, curve)));
  const activateInto = (g: Handle, out: Handle, curve: GateCurve): void => {
    if (isSilu(curve)) return void torch.call(aten.siluOut, g, out);
    torch.run(() => {
      torch.copyInto(out, activated(g, curve));
    });
  };
  /** left = d u act'(g), right = d act(g). */
  const gradients = ([d, g, u]: Handles<3>, [left, right]: Handles<2>, curve: GateCurve): void => {
    torch.multiplyInto(left, d, u);
    if (isSilu(curve)) torch.call(aten.siluBackwardOut, left, g, left);
    else
      torch.run(() => {
        const share = torch.call(aten.sigmoid, bend(g, curve));
        const bent = bend(g, { ...curve, cubic: 3 * curve.cubic });
        const steep = torch.add(share, torch.call(aten.sigmoidBackward, bent, share));
        torch.multiplyInto(left, left, steep);
      });
    activateInto(g, right, curve);
    torch.multiplyInto(right, d, right);
  };
  const isContiguous = (x: Tensor): boolean => store.get(x).rowStride === null;
  return {
    add(a, b) {
      const [left, right] = [store.get(a).handle, store.get(b).handle];
      const size = sizeOf(a.shape);
      if (device.sumsInPlace(size) && isContiguous(a) && isContiguous(b))
        return device.refill(a.shape, (out) => sumInto(device, out, left, right, size), store.get(a).precision);
      return device.make(a.shape, () => torch.add(left, right), store.get(a).precision);
    },
    multiply(a, b) {
      const [left, right] = [store.get(a).handle, store.get(b).handle];
      if (device.writesInPlace(sizeOf(a.shape)))
        return device.refill(a.shape, (out) => void torch.multiplyInto(out, left, right));
      return device.make(a.shape, () => torch.multiply(left, right));
    },
    scaled(x, factor) {
      const handle = device.handle(x);
      return device.make(x.shape, () => torch.multiplyByNumber(handle, factor), store.get(x).precision);
    },
    accumulate(into, delta) {
      const [sum, more] = [store.get(into), store.get(delta)];
      const size = sizeOf(into.shape);
      if (size === 0) return;
      const isWide = ({ precision }: TorchTensor): boolean =>
        precision === "full" || device.working === scalarType.float32;
      torch.run(() => {
        if (isWide(sum))
          addInPlace(
            device,
            sum.handle,
            isWide(more) ? device.handle(more) : device.widened(device.handle(more)),
            size,
          );
        else torch.copyInto(sum.handle, torch.add(sum.handle, device.handle(more)));
        store.changed(sum);
      });
    },
    swiGlu(gate, up, curve = gateCurves.silu) {
      const [rows, width] = matrixSize(gate);
      const [g, u] = [device.rows(gate), device.rows(up)];
      if (!device.writesInPlace(rows * width))
        return device.make([rows, width], () => torch.multiply(activated(g.handle, curve), u.handle));
      return device.refill([rows, width], (whole) => {
        for (const span of device.tiles(rows, width)) {
          const [from, by, out] = [g, u, { handle: whole, stride: width }].map((x) =>
            device.rowsOf(x, span, width),
          ) as unknown as Handles<3>;
          activateInto(from, out, curve);
          torch.multiplyInto(out, out, by);
        }
      });
    },
    swiGluBackward(dOut, gate, up, curve = gateCurves.silu) {
      const [rows, width] = matrixSize(gate);
      const inputs = [device.rows(dOut), device.rows(gate), device.rows(up)];
      // Adjacent columns, as joint products expect.
      const side = [0, width] as const;
      const location = { matrix: {}, stride: 2 * width };
      if (!device.writesInPlace(rows * width)) {
        const [dGate, dUp] = torch.run<Handles<2>>(() => {
          const both = torch.empty([rows, 2 * width], device.working);
          const [left, right] = side.map((start) => columnsOf(both, rows, width, start)) as unknown as Handles<2>;
          gradients(inputs.map(({ handle }) => handle) as unknown as Handles<3>, [left, right], curve);
          return [left, right];
        });
        return {
          dGate: store.adoptColumns(dGate, [rows, width], { ...location, start: 0 }),
          dUp: store.adoptColumns(dUp, [rows, width], { ...location, start: width }),
        };
      }
      const both = store.refill([rows, 2 * width], device.working, ({ handle }) => {
        const room = { handle, stride: 2 * width };
        for (const span of device.tiles(rows, 3 * width)) {
          const tile = inputs.map((x) => device.rowsOf(x, span, width)) as unknown as Handles<3>;
          const sides = side.map((start) => device.rowsOf(room, span, width, start)) as unknown as Handles<2>;
          gradients(tile, sides, curve);
        }
      });
      const [dGate, dUp] = side.map((start) => {
        const part = store.view(both, `columns ${start} ${width}`, () => columnsOf(both.handle, rows, width, start));
        return store.adoptColumns(part, [rows, width], { ...location, start }, "working", both);
      }) as readonly Tensor[] as readonly [Tensor, Tensor];
      store.free(both);
      return { dGate, dUp };
    },
  };
}
