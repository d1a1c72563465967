import { matrixSize, type Kernels, type Tensor } from "@laconic/engine/kernels";
import { type Handle } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";
import { expectRotary } from "./rotary.ts";

const threads = 256;

/** Rows of a matrix where a program reads them. */
interface Place {
  readonly address: number;
  /** Elements from one row to the next. */
  readonly stride: number;
}

type Pointwise = "swiGlu" | "swiGluBackward" | "rotary" | "rotateBackAndJoin";

/** The form of a program that takes eight elements at a time, where all arrays and rows begin on 16 bytes; else single ones. */
export function byWidth(name: string, width: number, addresses: readonly number[]): string {
  return `${name}_${width % 8 === 0 && addresses.every((address) => address % 16 === 0) ? 8 : 1}`;
}

/** On CUDA in bfloat16: what PyTorch takes several kernels for, in one of our own, rounded once. */
export function pointwisePrograms(device: TorchDevice): Required<Pick<Kernels, Pointwise>> {
  const { torch, store } = device;
  const placeOf = (tensor: Tensor): Place => {
    const { handle, stride } = device.rows(tensor);
    return { address: torch.address(handle), stride };
  };
  /** Eight elements at a time where all rows and columns begin on 16 bytes. */
  const run = (
    name: string,
    elements: number,
    widths: readonly number[],
    places: readonly Place[],
    args: readonly (number | { readonly float: number })[],
  ): void => {
    const together =
      widths.every((width) => width % 8 === 0) &&
      places.every(({ address, stride }) => address % 16 === 0 && stride % 8 === 0);
    const pack = together ? 8 : 1;
    if (elements > 0) torch.launch(`${name}_${pack}`, Math.ceil(elements / pack / threads), threads, args);
  };
  const output = (shape: readonly [number, number], fill: (place: Place) => void): Tensor =>
    device.refill(shape, (out) => fill({ address: torch.address(out), stride: shape[1] }));

  return {
    swiGlu(gate, up) {
      const [rows, width] = matrixSize(gate);
      return output([rows, width], (out) => {
        const [g, u] = [placeOf(gate), placeOf(up)];
        const args = [out.address, g.address, g.stride, u.address, u.stride, rows, width];
        run("swiglu", rows * width, [width], [out, g, u], args);
      });
    },
    swiGluBackward(dOut, gate, up) {
      const [rows, width] = matrixSize(gate);
      const [left, right] = torch.run(() => {
        const both = torch.empty([rows, 2 * width], device.working);
        const out = { address: torch.address(both), stride: 2 * width };
        const [d, g, u] = [placeOf(dOut), placeOf(gate), placeOf(up)];
        const inputs = [d.address, d.stride, g.address, g.stride, u.address, u.stride];
        run("swiglu_backward", rows * width, [width], [out, d, g, u], [out.address, ...inputs, rows, width]);
        return [0, width].map((start) => torch.view(both, [rows, width], [2 * width, 1], start));
      }) as [Handle, Handle];
      // Side by side, as a product with the weights of both wants them.
      const place = { matrix: {}, stride: 2 * width };
      return {
        dGate: store.adoptColumns(left, [rows, width], { ...place, start: 0 }),
        dUp: store.adoptColumns(right, [rows, width], { ...place, start: width }),
      };
    },
    rotateBackAndJoin({ dQ, dK, dV, queryHeads, kvHeads }, tables, positions) {
      const [rows, , half] = expectRotary(device, dQ, tables, positions);
      const heads = [dQ, dK, dV].map((each) => device.handle(each));
      const width = 2 * half * (queryHeads + 2 * kvHeads);
      return output([rows, width], (out) => {
        const angles = [tables.cos, tables.sin].map((each) => device.handle(each));
        const places = [out.address, ...[...heads, ...angles].map((each) => torch.address(each))];
        const at = torch.address(store.get(positions).handle);
        const name = byWidth("rotate_back_and_join", half, places);
        const blocks = Math.ceil((rows * width) / 2 / (name.endsWith("8") ? 8 : 1) / threads);
        if (rows > 0) torch.launch(name, blocks, threads, [...places, at, rows, queryHeads, kvHeads, half]);
      });
    },
    rotary(x, tables, positions, heads, inverse = false) {
      const [rows, width, half] = expectRotary(device, x, tables, positions);
      return output([rows, width], (out) => {
        const [from, cos, sin] = [placeOf(x), placeOf(tables.cos), placeOf(tables.sin)];
        const at = torch.address(store.get(positions).handle);
        const args = [out.address, from.address, from.stride, cos.address, sin.address, at, rows, heads, half];
        run("rotary", (rows * width) / 2, [half], [out, from, cos, sin], [...args, { float: inverse ? -1 : 1 }]);
      });
    },
  };
}
