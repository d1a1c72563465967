import { headSize, type GradientPlace, type Kernels, type Tensor } from "@laconic/engine/kernels";
import { scalarType } from "../native/scalar-type.ts";
import { aten, type Handle, type Handles, type Torch } from "../native/torch.ts";
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

function expectHeadInputs(
  device: TorchDevice,
  hidden: Tensor,
  weight: Tensor,
  targets: Tensor,
  location: string,
): readonly [rows: number, width: number, vocabulary: number] {
  const [rows, width, vocabulary] = headSize(hidden, weight);
  device.expectIndices(targets, vocabulary, `${location}: targets`);
  device.torch.expectWork(rows * width * vocabulary);
  return [rows, width, vocabulary];
}

/** Gradient in place or new; zeroed if no row will write it. */
function weightGradient(device: TorchDevice, { shape }: Tensor, rows: number, placed?: GradientPlace): Handle {
  const { torch } = device;
  const gradient = placed ? device.handle(placed.tensor) : torch.empty(shape, scalarType.float32);
  if (rows === 0 && placed?.add !== true) torch.fill(gradient, 0);
  return gradient;
}

/** Output layer and log-softmax in float32, in tiles. */
export function headKernels(
  device: TorchDevice,
  limit: number = tileLimit[device.torch.device],
): Pick<Kernels, "headLogProbs" | "headLogProbsBackward"> {
  const head = new Head(device, limit);
  return {
    headLogProbs: (...tensors) => head.logProbs(...tensors),
    headLogProbsBackward: (...args) => head.logProbsBackward(...args),
  };
}

class Head {
  readonly #device: TorchDevice;
  readonly #torch: Torch;
  readonly #limit: number;
  readonly #exact: boolean;

  constructor(device: TorchDevice, limit: number) {
    this.#device = device;
    this.#torch = device.torch;
    this.#limit = limit;
    this.#exact = device.working === float32;
  }

  #rowsOf(hidden: Tensor, targets: Tensor, inverseTemperature: Tensor, { start, count }: Span): Rows {
    const width = hidden.shape[1] as number;
    const part = this.#torch.view(this.#device.handle(hidden), [count, width], [width, 1], start * width);
    const inverse = this.#column(this.#device.handle(inverseTemperature), { start, count });
    return {
      count,
      hidden: part,
      overTemperature: this.#exact ? this.#torch.call(aten.multiply, part, inverse) : null,
      inverseTemperature: inverse,
      targets: this.#column(this.#device.indices(targets), { start, count }),
    };
  }
  #column(x: Handle, { start, count }: Span): Handle {
    return this.#torch.view(x, [count, 1], [1, 1], start);
  }
  /** Logits over the temperature plus a number per row, float32 [count, columns]. */
  #logitsOf(rows: Rows, weight: Tensor, columns: Span, plus: Handle | null, space: Space): Handle {
    const width = weight.shape[1] as number;
    const right = this.#torch.view(
      this.#device.handle(weight),
      [width, columns.count],
      [1, width],
      columns.start * width,
    );
    if (rows.overTemperature !== null && space.first !== null) {
      const logits = this.#torch.view(space.first, [rows.count, columns.count]);
      if (plus === null) this.#torch.mmInto(logits, rows.overTemperature, right);
      else this.#torch.addmmInto(logits, plus, rows.overTemperature, right);
      return logits;
    }
    const logits = this.#torch.run(() => fullProduct(this.#device, rows.hidden, right, [rows.count, columns.count]));
    this.#torch.call(aten.multiplyInPlace, logits, rows.inverseTemperature);
    // The only in-place sum without a Scalar.
    if (plus !== null) this.#torch.addmmInto(logits, logits, plus, this.#torch.full([1, columns.count], float32, 1));
    return logits;
  }
  #spaceFor({ rows, columns }: HeadTiles, arrays: 1 | 2): Space {
    const most = (rows[0]?.count ?? 0) * (columns[0]?.count ?? 0);
    const make = (): Handle => this.#torch.empty([most], float32);
    return { first: this.#exact ? make() : null, second: arrays === 2 ? make() : null };
  }
  #placesIn({ targets }: Rows, { start, count }: Span, vocabulary: number): Places {
    if (count === vocabulary) return { index: targets, here: null };
    const number = (value: number): Handle => this.#torch.full([1], this.#device.widest, value);
    const own = this.#torch.subtract(this.#torch.cast(targets, this.#device.widest), number(start));
    const nearest = this.#torch.call(aten.minimum, this.#torch.call(aten.maximum, own, number(0)), number(count - 1));
    return {
      index: this.#torch.cast(nearest, int64),
      here: this.#torch.cast(this.#torch.call(aten.equal, own, nearest), float32),
    };
  }
  #onlyHere(x: Handle, { here }: Places): Handle {
    return here === null ? x : this.#torch.call(aten.multiply, x, here);
  }
  #sums(x: Handle): Handle {
    return this.#torch.call(aten.sumOver, x, { some: { ints: [1] } }, { bool: true }, null);
  }
  #joined(parts: readonly Handle[], axis: number): Handle {
    return parts.length === 1 ? (parts[0] as Handle) : this.#torch.call(aten.cat, { tensors: parts }, { int: axis });
  }

  /**
   * Row statistics of some columns: target log-prob, negative entropy, max logit, max log-share, 1 if target inside.
   */
  #statistics(rows: Rows, weight: Tensor, columns: Span, space: Space): Handles<5> {
    const logits = this.#logitsOf(rows, weight, columns, null, space);
    const largest = (x: Handle): Handle => this.#torch.call(aten.maxOver, x, { ints: [1] }, { bool: true });
    const most = largest(logits);
    const logShares = this.#torch.view(space.second as Handle, [rows.count, columns.count]);
    this.#torch.call(aten.logSoftmaxOut, logits, { int: 1 }, { bool: false }, logShares);
    const places = this.#placesIn(rows, columns, weight.shape[0] as number);
    const chosen = this.#torch.call(aten.gather, logShares, { int: 1 }, places.index, { bool: false });
    this.#torch.call(aten.expOut, logShares, logits);
    this.#torch.call(aten.multiplyInPlace, logits, logShares);
    return [
      chosen,
      this.#sums(logits),
      most,
      largest(logShares),
      places.here ?? this.#torch.full([rows.count, 1], float32, 1),
    ];
  }
  /** Log-prob, entropy and log-sum-exp per row, [count, 1]. */
  #combined(parts: readonly Handles<5>[]): Handles<3> {
    const [chosen, minusEntropy, most, topShare, here] = [0, 1, 2, 3, 4].map((i) =>
      this.#joined(
        parts.map((part) => part[i] as Handle),
        1,
      ),
    ) as [Handle, Handle, Handle, Handle, Handle];
    if (parts.length === 1)
      return [chosen, this.#torch.multiplyByNumber(minusEntropy, -1), this.#torch.subtract(most, topShare)];
    const top = this.#torch.call(aten.maxOver, most, { ints: [1] }, { bool: true });
    // Keeps the precision of small numbers.
    const above = this.#torch.subtract(this.#torch.subtract(most, top), topShare);
    const total = this.#torch.call(aten.log, this.#sums(this.#torch.call(aten.exp, above)));
    const logShare = this.#torch.subtract(above, total);
    const entropies = this.#torch.call(
      aten.multiply,
      this.#torch.call(aten.exp, logShare),
      this.#torch.add(minusEntropy, logShare),
    );
    const own = this.#torch.call(aten.multiply, here, this.#torch.add(chosen, logShare));
    return [this.#sums(own), this.#torch.multiplyByNumber(this.#sums(entropies), -1), this.#torch.add(top, total)];
  }

  logProbs(
    ...[hidden, weight, targets, inverseTemperature]: Parameters<Kernels["headLogProbs"]>
  ): ReturnType<Kernels["headLogProbs"]> {
    const [rows, , vocabulary] = expectHeadInputs(this.#device, hidden, weight, targets, "headLogProbs");
    const tiles = headTiles(rows, vocabulary, { element: 8, column: 0 }, this.#limit);
    const columns = this.#torch.run(() => {
      const space = this.#spaceFor(tiles, 2);
      const parts = tiles.rows.map((span) =>
        this.#torch.run(() => {
          const part = this.#rowsOf(hidden, targets, inverseTemperature, span);
          return this.#combined(
            tiles.columns.map((column) => this.#torch.run(() => this.#statistics(part, weight, column, space))),
          );
        }),
      );
      return [0, 1, 2].map((i) =>
        rows === 0
          ? this.#torch.empty([0], float32)
          : this.#torch.view(
              this.#joined(
                parts.map((part) => part[i] as Handle),
                0,
              ),
              [rows],
            ),
      );
    });
    const [logProbs, entropy, logSumExp] = columns.map((column): Tensor =>
      this.#device.store.adoptFloats(column, [rows], "full"),
    ) as [Tensor, Tensor, Tensor];
    return { logProbs, entropy, logSumExp };
  }
  logProbsBackward(
    ...[dLogProbs, tensors, needs, into = {}]: Parameters<Kernels["headLogProbsBackward"]>
  ): ReturnType<Kernels["headLogProbsBackward"]> {
    const { hidden, weight, targets, inverseTemperature, logSumExp } = tensors;
    const [rows, width, vocabulary] = expectHeadInputs(this.#device, hidden, weight, targets, "headLogProbsBackward");
    const placed = needs.weight ? into.dWeight : undefined;
    // Other products need a second buffer.
    const bytes = this.#exact ? { element: 4, column: 0 } : { element: 8, column: needs.weight ? 10 * width : 0 };
    const tiles: HeadTiles = headTiles(rows, vocabulary, bytes, this.#limit);
    const [dHidden, dW] = this.#torch.run(() => {
      const w = this.#device.handle(weight);
      const space = this.#spaceFor(tiles, 1);
      const result = this.#torch.empty(hidden.shape, this.#device.working);
      const dWeight = needs.weight ? weightGradient(this.#device, weight, rows, placed) : null;
      for (const span of tiles.rows)
        this.#torch.run(() => {
          const part = this.#rowsOf(hidden, targets, inverseTemperature, span);
          const minusSums = this.#torch.multiplyByNumber(this.#column(this.#device.handle(logSumExp), span), -1);
          const factor = this.#torch.call(
            aten.multiply,
            this.#column(this.#device.handle(dLogProbs), span),
            part.inverseTemperature,
          );
          const minusFactor = this.#torch.multiplyByNumber(factor, -1);
          const own = this.#torch.view(result, [span.count, width], [width, 1], span.start * width);
          const sum = this.#exact ? own : this.#torch.empty([span.count, width], float32);
          for (const columns of tiles.columns)
            this.#torch.run(() => {
              // d / d logits = factor (one-hot(target) - exp(logits - logSumExp)), in place.
              const d = this.#logitsOf(part, weight, columns, minusSums, space);
              this.#torch.call(aten.expInPlace, d);
              this.#torch.call(aten.multiplyInPlace, d, minusFactor);
              const places = this.#placesIn(part, columns, vocabulary);
              this.#torch.call(aten.scatterAdd, d, { int: 1 }, places.index, this.#onlyHere(factor, places));
              const rounded = this.#device.rounded(d);
              const [first, last] = [columns.start * width, columns.count] as const;
              this.#addProduct(
                sum,
                rounded,
                this.#torch.view(w, [last, width], [width, 1], first),
                [span.count, width],
                columns.start === 0,
              );
              if (dWeight === null) return [];
              const across = this.#torch.view(rounded, [columns.count, span.count], [1, columns.count]);
              const gradient = this.#torch.view(dWeight, [last, width], [width, 1], first);
              this.#addProduct(gradient, across, part.hidden, [last, width], span.start === 0 && placed?.add !== true);
              return [];
            });
          if (!this.#exact) this.#torch.copyInto(own, sum);
          return [];
        });
      return dWeight === null || placed ? [result] : [result, dWeight];
    });
    return {
      dHidden: this.#device.store.adoptFloats(dHidden, hidden.shape),
      ...(dW !== undefined && { dWeight: this.#device.store.adoptFloats(dW, weight.shape, "full") }),
    };
  }

  #addProduct(sum: Handle, a: Handle, b: Handle, size: Size, first: boolean): void {
    if (this.#exact && first) this.#torch.mmInto(sum, a, b);
    else if (this.#exact) this.#torch.addmmInto(sum, sum, a, b);
    else {
      const product = this.#torch.run(() => fullProduct(this.#device, a, b, size));
      this.#torch.copyInto(sum, first ? product : this.#torch.add(sum, product));
    }
  }
}

/** Tiling of logits [rows, vocabulary] by runs of rows and columns. */
export interface HeadTiles {
  readonly rows: readonly Span[];
  readonly columns: readonly Span[];
}

export interface TileBytes {
  /** Bytes per logit. */
  readonly element: number;
  /** Additional bytes per column. */
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
  const columns = Math.floor(limit / ((rowSpans[0] as Span).count * bytes.element + bytes.column));
  return { rows: rowSpans, columns: spans(vocabulary, Math.max(1, columns)) };
}

/** Runs of similar length, at most `most`. */
function spans(total: number, most: number): Span[] {
  const runs = Math.ceil(total / Math.max(1, most));
  const length = Math.ceil(total / Math.max(1, runs));
  return Array.from({ length: runs }, (_, i) => ({ start: i * length, count: Math.min(length, total - i * length) }));
}
