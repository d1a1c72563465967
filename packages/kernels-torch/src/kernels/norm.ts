import { matrixSize, type KernelFamily, type Kernels, type Tensor, type RotaryTables } from "@laconic/engine/kernels";
import { scalarType } from "../native/scalar-type.ts";
import { aten, type Handle, type Handles } from "../native/torch.ts";
import { tileElements, type TorchDevice, type Span } from "../torch-device.ts";
import { sumInto } from "./products.ts";

/** `fused` is PyTorch's GPU kernel, which rounds the weight's gradient. */
export type NormBackward = "fused" | "composed";

/** RMSNorm (Zhang and Sennrich 2019) with float32 statistics. */
export function normKernels(device: TorchDevice, backward: NormBackward): KernelFamily<"norm"> {
  const { torch, store } = device;
  const { float32 } = scalarType;
  const constant = (weight: Tensor, name: string, shape: readonly number[], value: number): Handle =>
    store.derive(store.get(weight), name, () => torch.full(shape, float32, value));

  /** PyTorch's CPU operator takes more and wider steps. */
  const composed = (x: Handle, weight: Tensor, rows: number, width: number, epsilon: number): Handles<2> => {
    const mean = constant(weight, "mean", [width, 1], 1 / width);
    const least = constant(weight, `epsilon ${epsilon}`, [1], epsilon);
    const wide = device.widened(x);
    const meanSquare = torch.empty([rows, 1], float32);
    torch.addmmInto(meanSquare, least, torch.multiply(wide, wide), mean);
    const inverse = torch.call(aten.rsqrt, meanSquare);
    const normed = torch.multiply(wide, inverse);
    torch.multiplyInPlace(normed, device.widened(device.handle(weight)));
    return [device.rounded(normed), inverse];
  };
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
        torch.multiplyInto(to, from, from);
        torch.addmmInto(column, least, to, mean);
        torch.call(aten.rsqrtOut, column, column);
        torch.multiplyInto(to, from, column);
        torch.multiplyInto(to, to, w);
      });
  };
  /** Writes dX to `out` and returns the weight's gradient. */
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
          torch.multiplyInto(to, ownD, ownX);
          const row = torch.view(inverse, [1, count], [count, 1], start);
          if (start === 0) torch.mmInto(sums, row, to);
          else torch.addmmInto(sums, sums, row, to);
          const factor = torch.call(aten.mm, to, torch.view(w, [width, 1]));
          for (const value of [column, column, column, minusMean]) torch.multiplyInPlace(factor, value);
          const along = torch.view(room, [count, width]);
          torch.multiplyInto(along, ownX, factor);
          torch.multiplyInto(to, ownD, w);
          torch.multiplyInto(to, to, column);
          sumInto(device, to, to, along, count * width);
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
    // dX = s (d w) - x s^3 / D sum(d w x), where s = 1 / rms.
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
        const product = torch.multiply(wideD, wideX);
        const sums = torch.call(aten.mm, torch.view(inverse, [1, rows]), product);
        const factor = torch.call(aten.mm, product, torch.view(wideW, [width, 1]));
        for (const value of [column, column, column]) torch.multiplyInPlace(factor, value);
        const along = torch.multiplyInto(product, wideX, torch.multiplyByNumber(factor, 1 / width));
        const straight = torch.multiply(wideD, wideW);
        torch.multiplyInPlace(straight, column);
        return [device.rounded(torch.subtract(straight, along)), torch.view(sums, [width])];
      });
      return { dX: store.adoptFloats(dX, x.shape), dWeight: store.adoptFloats(dWeight, [width], "full") };
    },
  };
}

const fewElements = 1 << 20;

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
      return torch.cat(halves, 1);
    });
  /** [N, 1, headDim]; shared by all layers. */
  const rowsAt = (tables: RotaryTables, positions: Tensor, which: "cos" | "forward" | "inverse"): Handle => {
    const table = wholeHead(tables, which);
    const [count, headDim] = [positions.shape[0]!, 2 * tables.cos.shape[1]!];
    const index = device.indices(positions);
    return store.derive(store.get(positions), `rotary ${table}`, () =>
      torch.view(torch.selectRows(table, index), [count, 1, headDim]),
    );
  };
  /** [N, heads * headDim], in decode steps. */
  const allHeads = (rows: Handle, count: number, heads: number, headDim: number, positions: Tensor): Handle =>
    store.derive(store.get(positions), `rotary ${rows} of ${heads} heads`, () => {
      const repeated = torch.view(rows, [count, heads, headDim], [headDim, 0, 1]);
      return torch.view(torch.contiguous(repeated), [count, heads * headDim]);
    });
  /** int64 columns with the halves of each head exchanged. */
  const exchanged = ({ cos }: RotaryTables, heads: number, half: number): Handle =>
    store.derive(store.get(cos), `exchanged halves of ${heads}`, () => {
      const columns = Int32Array.from({ length: 2 * heads * half }, (_, column) =>
        column % (2 * half) < half ? column + half : column - half,
      );
      return torch.uploadIndices(columns, [columns.length]);
    });
  return {
    rotary(x, tables, positions, heads, inverse = false) {
      const [rows, width] = matrixSize(x);
      const [, half] = matrixSize(tables.cos);
      const { handle: input, stride } = device.rows(x);
      const cos = rowsAt(tables, positions, "cos");
      const sin = rowsAt(tables, positions, inverse ? "inverse" : "forward");
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
        torch.multiplyInto(turned, turned, atRows(sin));
        const sum = byHead(out, width, start);
        torch.multiplyInto(sum, byHead(input, stride, start), atRows(cos));
        sumInto(device, sum, sum, room, some * width);
      };
      if (torch.canPickColumns && rows * width <= fewElements)
        return device.make([rows, width], () => {
          const repeated = (table: Handle): Handle => allHeads(table, rows, heads, 2 * half, positions);
          const swapped = torch.pickColumns(input, exchanged(tables, heads, half));
          return torch.add(torch.multiply(input, repeated(cos)), torch.multiply(swapped, repeated(sin)));
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
        const rotated = torch.add(torch.multiply(perHead, cos), torch.multiply(swapped, sin));
        return torch.view(rotated, [rows, width]);
      });
    },
  };
}
