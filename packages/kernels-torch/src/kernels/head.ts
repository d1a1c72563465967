import { headSize, type GradientPlace, type KernelFamily, type Tensor } from "@laconic/engine/kernels";
import { scalarType } from "../native/scalar-type.ts";
import { aten, type Handle, type Handles } from "../native/torch.ts";
import type { Span, TorchDevice } from "../torch-device.ts";
import { fullProduct, type Size } from "./products.ts";
import type { TorchDeviceName } from "../native/library.ts";

const { float32, int64 } = scalarType;

interface Rows {
  readonly count: number;
  readonly hidden: Handle;
  /** Hidden rows over the temperature; null if this would round them. */
  readonly overTemperature: Handle | null;
  /** [count, 1]. */
  readonly inverseTemperature: Handle;
  /** int64 [count, 1] */
  readonly targets: Handle;
}

/** Buffers for all tiles, against fragmentation. */
interface Space {
  /** Null if the product allocates its result. */
  readonly first: Handle | null;
  readonly second: Handle | null;
}

interface Places {
  /** int64 [count, 1]: column of the target, or the nearest in range. */
  readonly index: Handle;
  /** [count, 1]: 1 for targets in range; null if all are. */
  readonly here: Handle | null;
}

/** Gradient in place or new; zeroed if no row will write it. */
function weightGradient(device: TorchDevice, { shape }: Tensor, rows: number, placed?: GradientPlace): Handle {
  const { torch } = device;
  const gradient = placed ? device.handle(placed.tensor) : torch.empty(shape, scalarType.float32);
  if (rows === 0 && placed?.add !== true) torch.fill(gradient, 0);
  return gradient;
}

/** Output layer and log-softmax in float32, in tiles. */
export function headKernels(device: TorchDevice, limit: number = tileLimit[device.torch.device]): KernelFamily<"head"> {
  const { torch, store } = device;
  const exact = device.working === float32;
  return {
    headLogProbs(hidden, weight, targets, inverseTemperature) {
      const [rows, width, vocabulary] = headSize(hidden, weight);
      torch.expectWork(rows * width * vocabulary);
      const tiles = headTiles(rows, vocabulary, { element: 8, column: 0 }, limit);
      const columns = torch.run(() => {
        const space = spaceFor(tiles, 2);
        const parts = tiles.rows.map((span) =>
          torch.run(() => {
            const part = rowsOf(hidden, targets, inverseTemperature, span);
            return combined(tiles.columns.map((column) => torch.run(() => statistics(part, weight, column, space))));
          }),
        );
        return [0, 1, 2].map((i) =>
          rows === 0
            ? torch.empty([0], float32)
            : torch.view(
                joined(
                  parts.map((part) => part[i]!),
                  0,
                ),
                [rows],
              ),
        );
      });
      const [logProbs, entropy, logSumExp] = columns.map((column): Tensor =>
        store.adoptFloats(column, [rows], "full"),
      ) as [Tensor, Tensor, Tensor];
      return { logProbs, entropy, logSumExp };
    },
    headLogProbsBackward(dLogProbs, tensors, needs, into = {}) {
      const { hidden, weight, targets, inverseTemperature, logSumExp } = tensors;
      const [rows, width, vocabulary] = headSize(hidden, weight);
      torch.expectWork(rows * width * vocabulary);
      const placed = needs.weight ? into.dWeight : undefined;
      // Other products need a second buffer.
      const bytes = exact ? { element: 4, column: 0 } : { element: 8, column: needs.weight ? 10 * width : 0 };
      const tiles: HeadTiles = headTiles(rows, vocabulary, bytes, limit);
      const [dHidden, dW] = torch.run(() => {
        const w = device.handle(weight);
        const space = spaceFor(tiles, 1);
        const result = torch.empty(hidden.shape, device.working);
        const dWeight = needs.weight ? weightGradient(device, weight, rows, placed) : null;
        for (const span of tiles.rows)
          torch.run(() => {
            const part = rowsOf(hidden, targets, inverseTemperature, span);
            const minusSums = torch.multiplyByNumber(columnOf(device.handle(logSumExp), span), -1);
            const factor = torch.multiply(columnOf(device.handle(dLogProbs), span), part.inverseTemperature);
            const minusFactor = torch.multiplyByNumber(factor, -1);
            const own = torch.view(result, [span.count, width], [width, 1], span.start * width);
            const sum = exact ? own : torch.empty([span.count, width], float32);
            for (const columns of tiles.columns)
              torch.run(() => {
                // d / d logits = factor (one-hot(target) - exp(logits - logSumExp)), in place.
                const d = logitsOf(part, weight, columns, minusSums, space);
                torch.call(aten.expInPlace, d);
                torch.multiplyInPlace(d, minusFactor);
                const places = placesIn(part, columns, vocabulary);
                torch.call(aten.scatterAdd, d, { int: 1 }, places.index, onlyHere(factor, places));
                const rounded = device.rounded(d);
                const [first, last] = [columns.start * width, columns.count] as const;
                addProduct(
                  sum,
                  rounded,
                  torch.view(w, [last, width], [width, 1], first),
                  [span.count, width],
                  columns.start === 0,
                );
                if (dWeight === null) return;
                const across = torch.view(rounded, [columns.count, span.count], [1, columns.count]);
                const gradient = torch.view(dWeight, [last, width], [width, 1], first);
                addProduct(gradient, across, part.hidden, [last, width], span.start === 0 && placed?.add !== true);
              });
            if (!exact) torch.copyInto(own, sum);
          });
        return dWeight === null || placed ? [result] : [result, dWeight];
      });
      return {
        dHidden: store.adoptFloats(dHidden, hidden.shape),
        ...(dW !== undefined && { dWeight: store.adoptFloats(dW, weight.shape, "full") }),
      };
    },
  };

  function rowsOf(hidden: Tensor, targets: Tensor, inverseTemperature: Tensor, { start, count }: Span): Rows {
    const width = hidden.shape[1]!;
    const part = torch.view(device.handle(hidden), [count, width], [width, 1], start * width);
    const inverse = columnOf(device.handle(inverseTemperature), { start, count });
    return {
      count,
      hidden: part,
      overTemperature: exact ? torch.multiply(part, inverse) : null,
      inverseTemperature: inverse,
      targets: columnOf(device.indices(targets), { start, count }),
    };
  }
  function columnOf(x: Handle, { start, count }: Span): Handle {
    return torch.view(x, [count, 1], [1, 1], start);
  }
  /** Logits over the temperature plus a number per row, float32 [count, columns]. */
  function logitsOf(rows: Rows, weight: Tensor, columns: Span, plus: Handle | null, space: Space): Handle {
    const width = weight.shape[1]!;
    const right = torch.view(device.handle(weight), [width, columns.count], [1, width], columns.start * width);
    if (rows.overTemperature !== null && space.first !== null) {
      const logits = torch.view(space.first, [rows.count, columns.count]);
      if (plus === null) torch.mmInto(logits, rows.overTemperature, right);
      else torch.addmmInto(logits, plus, rows.overTemperature, right);
      return logits;
    }
    const logits = torch.run(() => fullProduct(device, rows.hidden, right, [rows.count, columns.count]));
    torch.multiplyInPlace(logits, rows.inverseTemperature);
    // The only in-place sum without a Scalar.
    if (plus !== null) torch.addmmInto(logits, logits, plus, torch.full([1, columns.count], float32, 1));
    return logits;
  }
  function spaceFor({ rows, columns }: HeadTiles, arrays: 1 | 2): Space {
    const most = (rows[0]?.count ?? 0) * (columns[0]?.count ?? 0);
    const make = (): Handle => torch.empty([most], float32);
    return { first: exact ? make() : null, second: arrays === 2 ? make() : null };
  }
  function placesIn({ targets }: Rows, { start, count }: Span, vocabulary: number): Places {
    if (count === vocabulary) return { index: targets, here: null };
    const number = (value: number): Handle => torch.full([1], device.widest, value);
    const own = torch.subtract(torch.cast(targets, device.widest), number(start));
    const nearest = torch.call(aten.minimum, torch.call(aten.maximum, own, number(0)), number(count - 1));
    return {
      index: torch.cast(nearest, int64),
      here: torch.cast(torch.call(aten.equal, own, nearest), float32),
    };
  }
  function onlyHere(x: Handle, { here }: Places): Handle {
    return here === null ? x : torch.multiply(x, here);
  }
  function sums(x: Handle): Handle {
    return torch.call(aten.sumOver, x, { some: { ints: [1] } }, { bool: true }, null);
  }
  function joined(parts: readonly Handle[], axis: number): Handle {
    return parts.length === 1 ? parts[0]! : torch.cat(parts, axis);
  }

  /**
   * Row statistics of some columns: target log-prob, negative entropy, max logit, max log-share, 1 if target inside.
   */
  function statistics(rows: Rows, weight: Tensor, columns: Span, space: Space): Handles<5> {
    const logits = logitsOf(rows, weight, columns, null, space);
    const largest = (x: Handle): Handle => torch.call(aten.maxOver, x, { ints: [1] }, { bool: true });
    const most = largest(logits);
    const logShares = torch.view(space.second!, [rows.count, columns.count]);
    torch.call(aten.logSoftmaxOut, logits, { int: 1 }, { bool: false }, logShares);
    const places = placesIn(rows, columns, weight.shape[0]!);
    const chosen = torch.gather(logShares, places.index);
    torch.call(aten.expOut, logShares, logits);
    torch.multiplyInPlace(logits, logShares);
    return [chosen, sums(logits), most, largest(logShares), places.here ?? torch.full([rows.count, 1], float32, 1)];
  }
  /** Log-prob, entropy and log-sum-exp per row, [count, 1]. */
  function combined(parts: readonly Handles<5>[]): Handles<3> {
    const [chosen, minusEntropy, most, topShare, here] = [0, 1, 2, 3, 4].map((i) =>
      joined(
        parts.map((part) => part[i]!),
        1,
      ),
    ) as [Handle, Handle, Handle, Handle, Handle];
    if (parts.length === 1) return [chosen, torch.multiplyByNumber(minusEntropy, -1), torch.subtract(most, topShare)];
    const top = torch.call(aten.maxOver, most, { ints: [1] }, { bool: true });
    // Keeps the precision of small numbers.
    const above = torch.subtract(torch.subtract(most, top), topShare);
    const total = torch.call(aten.log, sums(torch.call(aten.exp, above)));
    const logShare = torch.subtract(above, total);
    const entropies = torch.multiply(torch.call(aten.exp, logShare), torch.add(minusEntropy, logShare));
    const own = torch.multiply(here, torch.add(chosen, logShare));
    return [sums(own), torch.multiplyByNumber(sums(entropies), -1), torch.add(top, total)];
  }
  function addProduct(sum: Handle, a: Handle, b: Handle, size: Size, first: boolean): void {
    if (exact && first) torch.mmInto(sum, a, b);
    else if (exact) torch.addmmInto(sum, sum, a, b);
    else {
      const product = torch.run(() => fullProduct(device, a, b, size));
      torch.copyInto(sum, first ? product : torch.add(sum, product));
    }
  }
}

export interface HeadTiles {
  readonly rows: readonly Span[];
  readonly columns: readonly Span[];
}

export interface TileBytes {
  /** Bytes per logit. */
  readonly element: number;
  readonly column: number;
}

/** Max bytes per tile. */
export const tileLimit: Readonly<Record<TorchDeviceName, number>> = {
  cpu: 2 ** 26,
  cuda: 2 ** 29,
  mps: 2 ** 28,
};

/** Below `thin` rows, reading weights dominates; above `many`, rows gain nothing. */
const [thin, many] = [1024, 2048] as const;

/** Tiles of whole rows if enough fit, else of columns. */
export function headTiles(rows: number, vocabulary: number, bytes: TileBytes, limit: number): HeadTiles {
  const fitting = Math.floor((limit - vocabulary * bytes.column) / (vocabulary * bytes.element));
  if (fitting >= Math.min(rows, thin)) return { rows: spans(rows, fitting), columns: spans(vocabulary, vocabulary) };
  const rowSpans = spans(rows, many);
  const columns = Math.floor(limit / (rowSpans[0]!.count * bytes.element + bytes.column));
  return { rows: rowSpans, columns: spans(vocabulary, Math.max(1, columns)) };
}

function spans(total: number, most: number): Span[] {
  const runs = Math.ceil(total / Math.max(1, most));
  const length = Math.ceil(total / Math.max(1, runs));
  return Array.from({ length: runs }, (_, i) => ({ start: i * length, count: Math.min(length, total - i * length) }));
}
