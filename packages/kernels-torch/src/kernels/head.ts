import { expectFloats, expectHead, type HeadTensors, type Kernels, type Tensor } from "@laconic/kernels";
import { scalarType } from "../native/scalar-type.ts";
import { operator, type Handle, type Handles } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";
import { headTiles, tileLimit, type HeadTiles, type Span } from "./head-tiles.ts";
import { wideProduct } from "./linear.ts";

const multiply = operator("aten::mul", "Tensor");
const multiplyInto = operator("aten::mul_", "Tensor");
const exp = operator("aten::exp");
const expInto = operator("aten::exp_");
const expOut = operator("aten::exp", "out");
const log = operator("aten::log");
const logSoftmaxOut = operator("aten::_log_softmax", "out");
const gather = operator("aten::gather");
const maxAlong = operator("aten::amax");
const sumAlong = operator("aten::sum", "dim_IntList");
const scatterAdd = operator("aten::scatter_add_");
const larger = operator("aten::maximum");
const smaller = operator("aten::minimum");
const equal = operator("aten::eq", "Tensor");
const cat = operator("aten::cat");

/** Where a weight's gradient goes: over what the tensor holds, or on top of it. */
export interface WeightPlace {
  readonly dWeight?: { readonly tensor: Tensor; readonly add: boolean };
}

/** Some rows of the head's input. */
interface Rows {
  readonly count: number;
  readonly hidden: Handle;
  /** The same over the temperature; null where a product of the working precision would round it. */
  readonly overTemperature: Handle | null;
  /** [count, 1], and all columns of a row alike. */
  readonly inverseTemperature: Handle;
  /** int64 [count, 1] */
  readonly targets: Handle;
}

/** Room for a tile's arrays, the same for all of them: memory that comes and goes by the tile falls to pieces. */
interface Space {
  /** Of the logits; null where a product brings its own. */
  readonly first: Handle | null;
  readonly second: Handle | null;
}

/** Where the rows' targets lie in some columns. */
interface Places {
  /** int64 [count, 1]: the target's column; of a target elsewhere, the nearest. */
  readonly index: Handle;
  /** [count, 1]: 1 where the target is among the columns, else 0; null when all are. */
  readonly here: Handle | null;
}

/** @throws LaconicError `input_invalid` for shapes that do not fit, or a target that is no token */
export function expectHeadInputs(
  device: TorchDevice,
  { targets, ...tensors }: HeadTensors & { readonly targets: Tensor },
  place: string,
): readonly [rows: number, width: number, vocabulary: number] {
  const [rows, width, vocabulary] = expectHead(tensors, place);
  device.expectIndices(targets, rows, vocabulary, `${place}: targets`);
  device.torch.expectWork(rows * width * vocabulary);
  return [rows, width, vocabulary];
}

/** What holds the weight's gradient: its place, or memory of its own; zeros where no row will write it. */
export function weightGradient(
  device: TorchDevice,
  { shape }: Tensor,
  rows: number,
  placed: WeightPlace["dWeight"],
): Handle {
  const { torch } = device;
  const gradient = placed ? device.handle(placed.tensor) : torch.empty(shape, scalarType.float32);
  if (rows === 0 && placed?.add !== true) torch.fill(gradient, 0);
  return gradient;
}

/**
 * The output layer and its log-softmax in float32, in tiles so that the logits never exist as a whole. What a tile made
 * is freed, but for a few numbers of each row, before the next begins.
 */
export function headKernels(
  device: TorchDevice,
  limit: number = tileLimit[device.torch.device],
): Pick<Kernels, "headLogProbs" | "headLogProbsBackward"> {
  const { torch, store } = device;
  const { float32, float64, int64 } = scalarType;
  const exact = device.working === float32;

  const rowsOf = (hidden: Tensor, targets: Tensor, inverseTemperature: Tensor, { start, count }: Span): Rows => {
    const width = hidden.shape[1] as number;
    const part = torch.view(device.handle(hidden), [count, width], [width, 1], start * width);
    const inverse = column(device.handle(inverseTemperature), { start, count });
    return {
      count,
      hidden: part,
      overTemperature: exact ? torch.call(multiply, part, inverse) : null,
      inverseTemperature: inverse,
      targets: column(device.indices(targets), { start, count }),
    };
  };
  const column = (x: Handle, { start, count }: Span): Handle => torch.view(x, [count, 1], [1, 1], start);
  /** Logits over the temperature, plus a number of each row, [count, columns] in float32. */
  const logitsOf = (rows: Rows, weight: Tensor, columns: Span, plus: Handle | null, space: Space): Handle => {
    const width = weight.shape[1] as number;
    const right = torch.view(device.handle(weight), [width, columns.count], [1, width], columns.start * width);
    if (rows.overTemperature !== null && space.first !== null) {
      const logits = torch.view(space.first, [rows.count, columns.count]);
      if (plus === null) torch.mmInto(logits, rows.overTemperature, right);
      else torch.addmmInto(logits, plus, rows.overTemperature, right);
      return logits;
    }
    const logits = torch.run(() => wideProduct(device, rows.hidden, right));
    torch.call(multiplyInto, logits, rows.inverseTemperature);
    // The only sum in place that takes no Scalar.
    if (plus !== null) torch.addmmInto(logits, logits, plus, torch.full([1, columns.count], float32, 1));
    return logits;
  };
  /** Belongs to the running kernel. */
  const spaceFor = ({ rows, columns }: HeadTiles, arrays: 1 | 2): Space => {
    const most = (rows[0]?.count ?? 0) * (columns[0]?.count ?? 0);
    const make = (): Handle => torch.empty([most], float32);
    return { first: exact ? make() : null, second: arrays === 2 ? make() : null };
  };
  const placesIn = ({ targets }: Rows, { start, count }: Span, vocabulary: number): Places => {
    if (count === vocabulary) return { index: targets, here: null };
    const number = (value: number): Handle => torch.full([1], float64, value);
    const own = torch.subtract(torch.cast(targets, float64), number(start));
    const nearest = torch.call(smaller, torch.call(larger, own, number(0)), number(count - 1));
    return { index: torch.cast(nearest, int64), here: torch.cast(torch.call(equal, own, nearest), float32) };
  };
  const onlyHere = (x: Handle, { here }: Places): Handle => (here === null ? x : torch.call(multiply, x, here));
  const sums = (x: Handle): Handle => torch.call(sumAlong, x, { some: { ints: [1] } }, { bool: true }, null);
  const joined = (parts: readonly Handle[], axis: number): Handle =>
    parts.length === 1 ? (parts[0] as Handle) : torch.call(cat, { tensors: parts }, { int: axis });

  /** What the log-softmax of some columns gives of each row: its log-prob of the target, its entropy with the sign turned,
   * the largest logit, the logarithm of the largest share, and 1 where the target is here. */
  const statistics = (rows: Rows, weight: Tensor, columns: Span, space: Space): Handles<5> => {
    const logits = logitsOf(rows, weight, columns, null, space);
    const largest = (x: Handle): Handle => torch.call(maxAlong, x, { ints: [1] }, { bool: true });
    const most = largest(logits);
    const logShares = torch.view(space.second as Handle, [rows.count, columns.count]);
    torch.call(logSoftmaxOut, logits, { int: 1 }, { bool: false }, logShares);
    const places = placesIn(rows, columns, weight.shape[0] as number);
    const chosen = torch.call(gather, logShares, { int: 1 }, places.index, { bool: false });
    torch.call(expOut, logShares, logits);
    torch.call(multiplyInto, logits, logShares);
    return [chosen, sums(logits), most, largest(logShares), places.here ?? torch.full([rows.count, 1], float32, 1)];
  };
  /** Log-prob, entropy and log-sum-exp of each row, [count, 1], from those of runs of columns. */
  const combined = (parts: readonly Handles<5>[]): Handles<3> => {
    const [chosen, minusEntropy, most, topShare, here] = [0, 1, 2, 3, 4].map((i) =>
      joined(
        parts.map((part) => part[i] as Handle),
        1,
      ),
    ) as [Handle, Handle, Handle, Handle, Handle];
    if (parts.length === 1) return [chosen, torch.multiplyByNumber(minusEntropy, -1), torch.subtract(most, topShare)];
    const top = torch.call(maxAlong, most, { ints: [1] }, { bool: true });
    // Each run's log-sum-exp and then the whole's, both less the largest logit: small numbers keep their digits.
    const above = torch.subtract(torch.subtract(most, top), topShare);
    const total = torch.call(log, sums(torch.call(exp, above)));
    const logShare = torch.subtract(above, total);
    const entropies = torch.call(multiply, torch.call(exp, logShare), torch.add(minusEntropy, logShare));
    const own = torch.call(multiply, here, torch.add(chosen, logShare));
    return [sums(own), torch.multiplyByNumber(sums(entropies), -1), torch.add(top, total)];
  };

  return {
    headLogProbs(hidden, weight, targets, inverseTemperature) {
      const [rows, , vocabulary] = expectHeadInputs(
        device,
        { hidden, weight, targets, inverseTemperature },
        "headLogProbs",
      );
      const tiles = headTiles(rows, vocabulary, { element: 8, column: 0 }, limit);
      const columns = torch.run(() => {
        const space = spaceFor(tiles, 2);
        const parts = tiles.rows.map((span) =>
          torch.run(() => {
            const part = rowsOf(hidden, targets, inverseTemperature, span);
            return combined(tiles.columns.map((each) => torch.run(() => statistics(part, weight, each, space))));
          }),
        );
        return [0, 1, 2].map((i) =>
          rows === 0
            ? torch.empty([0], float32)
            : torch.view(
                joined(
                  parts.map((part) => part[i] as Handle),
                  0,
                ),
                [rows],
              ),
        );
      });
      const [logProbs, entropy, logSumExp] = columns.map((each): Tensor => store.adoptFloats(each, [rows], "full")) as [
        Tensor,
        Tensor,
        Tensor,
      ];
      return { logProbs, entropy, logSumExp };
    },
    headLogProbsBackward(
      dLogProbs,
      { hidden, weight, targets, inverseTemperature, logSumExp },
      needs,
      into: WeightPlace = {},
    ) {
      const place = "headLogProbsBackward";
      const given = { hidden, weight, targets, inverseTemperature, logSumExp, dLogProbs };
      const [rows, width, vocabulary] = expectHeadInputs(device, given, place);
      const placed = needs.weight ? into.dWeight : undefined;
      if (placed) expectFloats(placed.tensor, weight.shape, `${place}: into`);
      // Products that cannot be added in place are made beside their sum.
      const bytes = exact ? { element: 4, column: 0 } : { element: 8, column: needs.weight ? 10 * width : 0 };
      const tiles: HeadTiles = headTiles(rows, vocabulary, bytes, limit);
      /** sum += a b; the first one sets it. */
      const addProduct = (sum: Handle, a: Handle, b: Handle, first: boolean): void => {
        if (exact && first) torch.mmInto(sum, a, b);
        else if (exact) torch.addmmInto(sum, sum, a, b);
        else {
          const product = torch.run(() => wideProduct(device, a, b));
          torch.copyInto(sum, first ? product : torch.add(sum, product));
        }
      };
      const [dHidden, dW] = torch.run(() => {
        const w = device.handle(weight);
        const space = spaceFor(tiles, 1);
        const result = torch.empty(hidden.shape, device.working);
        const dWeight = needs.weight ? weightGradient(device, weight, rows, placed) : null;
        for (const span of tiles.rows)
          torch.run(() => {
            const part = rowsOf(hidden, targets, inverseTemperature, span);
            const minusSums = torch.multiplyByNumber(column(device.handle(logSumExp), span), -1);
            const factor = torch.call(multiply, column(device.handle(dLogProbs), span), part.inverseTemperature);
            const minusFactor = torch.multiplyByNumber(factor, -1);
            const own = torch.view(result, [span.count, width], [width, 1], span.start * width);
            const sum = exact ? own : torch.empty([span.count, width], float32);
            for (const columns of tiles.columns)
              torch.run(() => {
                // d / d logits = factor (one-hot(target) - exp(logits - logSumExp)), in the logits' own array.
                const d = logitsOf(part, weight, columns, minusSums, space);
                torch.call(expInto, d);
                torch.call(multiplyInto, d, minusFactor);
                const places = placesIn(part, columns, vocabulary);
                torch.call(scatterAdd, d, { int: 1 }, places.index, onlyHere(factor, places));
                const rounded = device.rounded(d);
                const [first, last] = [columns.start * width, columns.count] as const;
                addProduct(sum, rounded, torch.view(w, [last, width], [width, 1], first), columns.start === 0);
                if (dWeight === null) return [];
                const across = torch.view(rounded, [columns.count, span.count], [1, columns.count]);
                const gradient = torch.view(dWeight, [last, width], [width, 1], first);
                addProduct(gradient, across, part.hidden, span.start === 0 && placed?.add !== true);
                return [];
              });
            if (!exact) torch.copyInto(own, sum);
            return [];
          });
        return dWeight === null || placed ? [result] : [result, dWeight];
      });
      return {
        dHidden: store.adoptFloats(dHidden, hidden.shape),
        ...(dW !== undefined && { dWeight: store.adoptFloats(dW, weight.shape, "full") }),
      };
    },
  };
}
