import { matrixSize, type Kernels, type RotaryTables, type Tensor } from "@laconic/engine/kernels";
import { aten, type Handle } from "../native/torch.ts";
import { type Span, tileElements, type TorchDevice } from "../torch-device.ts";
import { sumInto } from "./products.ts";

/** Max elements of tables repeated for all heads, as in decode steps. */
const fewElements = 1 << 20;

/** @throws LaconicError `input_invalid` for a position outside the tables */
function expectRotary(
  device: TorchDevice,
  x: Tensor,
  { cos }: RotaryTables,
  positions: Tensor,
): readonly [rows: number, width: number, half: number] {
  const [rows, width] = matrixSize(x);
  const [count, half] = matrixSize(cos);
  device.expectIndices(positions, count, "rotary: positions");
  return [rows, width, half];
}

/** out = x cos + swapped(x) (-sin, sin), where swapped exchanges the halves of a head. */
export function rotaryKernels(device: TorchDevice): Pick<Kernels, "rotary"> {
  const { torch, store } = device;
  /** Both halves of a head, [positions, headDim]. */
  const wholeHead = ({ cos, sin }: RotaryTables, which: "cos" | "forward" | "inverse"): Handle =>
    store.derive(store.get(which === "cos" ? cos : sin), `whole head, ${which}`, () => {
      const half = device.handle(which === "cos" ? cos : sin);
      const halves =
        which === "cos"
          ? [half, half]
          : which === "forward"
            ? [torch.call(aten.negate, half), half]
            : [half, torch.call(aten.negate, half)];
      return torch.call(aten.cat, { tensors: halves }, { int: 1 });
    });
  /** Table rows, [N, 1, headDim]; shared by all layers of a pass. */
  const rowsAt = (tables: RotaryTables, positions: Tensor, which: "cos" | "forward" | "inverse"): Handle => {
    const table = wholeHead(tables, which);
    const [count, headDim] = [positions.shape[0] as number, 2 * (tables.cos.shape[1] as number)];
    const at = device.indices(positions);
    return store.derive(store.get(positions), `rotary ${table}`, () =>
      torch.view(torch.call(aten.indexSelect, table, { int: 0 }, at), [count, 1, headDim]),
    );
  };
  /** The same for all heads, [N, heads * headDim], in decode steps. */
  const allHeads = (rows: Handle, count: number, heads: number, headDim: number, positions: Tensor): Handle =>
    store.derive(store.get(positions), `rotary ${rows} of ${heads} heads`, () => {
      const repeated = torch.view(rows, [count, heads, headDim], [headDim, 0, 1]);
      return torch.view(torch.call(aten.contiguous, repeated, { int: 0 }), [count, heads * headDim]);
    });
  /** Columns with the halves of each head exchanged, int64; cached. */
  const exchanged = ({ cos }: RotaryTables, heads: number, half: number): Handle =>
    store.derive(store.get(cos), `exchanged halves of ${heads}`, () => {
      const columns = Int32Array.from({ length: 2 * heads * half }, (_, column) =>
        column % (2 * half) < half ? column + half : column - half,
      );
      return torch.uploadIndices(columns, [columns.length]);
    });
  return {
    rotary(x, tables, positions, heads, inverse = false) {
      const [rows, width, half] = expectRotary(device, x, tables, positions);
      const { handle: input, stride } = device.rows(x);
      const cos = rowsAt(tables, positions, "cos");
      const sin = rowsAt(tables, positions, inverse ? "inverse" : "forward");
      /** Rotates rows: cos part into `out`, exchanged sin part into `room`, then their sum. */
      const rotateTile = (span: Span, room: Handle, out: Handle): void => {
        const { start, count: some } = span;
        const byHead = (of: Handle, step: number, first: number): Handle =>
          torch.view(of, [some, heads, 2 * half], [step, 2 * half, 1], first * step);
        const halfOf = (of: Handle, step: number, first: number, from: number): Handle =>
          torch.view(of, [some, heads, half], [step, 2 * half, 1], first * step + from);
        const atRows = (table: Handle): Handle =>
          torch.view(table, [some, 1, 2 * half], [2 * half, 2 * half, 1], start * 2 * half);
        torch.copyInto(halfOf(room, width, 0, 0), halfOf(input, stride, start, half));
        torch.copyInto(halfOf(room, width, 0, half), halfOf(input, stride, start, 0));
        const turned = byHead(room, width, 0);
        torch.call(aten.multiplyOut, turned, atRows(sin), turned);
        const sum = byHead(out, width, start);
        torch.call(aten.multiplyOut, byHead(input, stride, start), atRows(cos), sum);
        sumInto(device, sum, sum, room, some * width);
      };
      if (torch.canPickColumns && rows * width <= fewElements)
        return device.make([rows, width], () => {
          const [even, odd] = [cos, sin].map((each) => allHeads(each, rows, heads, 2 * half, positions)) as [
            Handle,
            Handle,
          ];
          const swapped = torch.pickColumns(input, exchanged(tables, heads, half));
          return torch.add(torch.call(aten.multiply, input, even), torch.call(aten.multiply, swapped, odd));
        });
      if (device.sumsInPlace(rows * width))
        return device.refill([rows, width], (out) => {
          device.withRoom(Math.min(rows * width, tileElements), (room) => {
            for (const span of device.tiles(rows, width)) rotateTile(span, room, out);
          });
        });
      return device.make([rows, width], () => {
        const perHead = torch.view(input, [rows, heads, 2 * half], [stride, 2 * half, 1]);
        const swapped = torch.call(aten.roll, perHead, { ints: [half] }, { ints: [2] });
        const rotated = torch.add(torch.call(aten.multiply, perHead, cos), torch.call(aten.multiply, swapped, sin));
        return torch.view(rotated, [rows, width]);
      });
    },
  };
}
