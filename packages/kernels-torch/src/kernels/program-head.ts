import type { Kernels, Tensor } from "@laconic/engine/kernels";
import { scalarType } from "../native/scalar-type.ts";
import type { Handle } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";
import { expectHeadInputs, weightGradient, type WeightPlace } from "./head.ts";
import { spans, tileLimit, type Span } from "./head-tiles.ts";
import { wideProduct } from "./linear.ts";
import { sumProduct, type Factor } from "./products.ts";

const threads = 512;

/** Rows of one product: as many as a product gains from, and columns' gradients are then seldom added up. */
const maxRows = 2 ** 14;

const { float32, bfloat16 } = scalarType;

/**
 * The output layer and its log-softmax on CUDA in bfloat16, in tiles: a product leaves float32 logits, one of our own
 * programs reads them once.
 */
export function headPrograms(
  device: TorchDevice,
  limit: number = tileLimit.cuda,
): Pick<Kernels, "headLogProbs" | "headLogProbsBackward"> {
  const { torch, store } = device;
  /** Every run of rows meets every run of columns. @param bytes - of each logit, all arrays together */
  const tilesOf = (rows: number, vocabulary: number, bytes: number): { rows: Span[]; columns: Span[] } => {
    const rowSpans = spans(rows, maxRows);
    const columns = Math.floor(limit / ((rowSpans[0]?.count ?? 1) * bytes));
    // On 16 bytes: products are faster there.
    return { rows: rowSpans, columns: spans(vocabulary, Math.max(8, columns - (columns % 8))) };
  };
  const columnsOf = (w: Handle, width: number, { start, count }: Span): Handle =>
    torch.view(w, [width, count], [1, width], start * width);
  const rowsOf = (x: Handle, width: number, { start, count }: Span): Handle =>
    torch.view(x, [count, width], [width, 1], start * width);
  /** Where an entry of a row's numbers begins: four bytes each. */
  const at = (x: Handle, row: number): number => torch.address(x) + 4 * row;

  return {
    headLogProbs(hidden, weight, targets, inverseTemperature) {
      const [rows, width, vocabulary] = expectHeadInputs(device, hidden, weight, targets, "headLogProbs");
      const results = torch.run(() => {
        const made = [0, 1, 2].map(() => torch.empty([rows], float32));
        const [x, w] = [device.handle(hidden), device.handle(weight)];
        const [scale, wanted] = [device.handle(inverseTemperature), store.get(targets).handle];
        const tiles = tilesOf(rows, vocabulary, 4);
        for (const span of tiles.rows)
          torch.run(() => {
            const states = torch.empty([span.count, 4], float32);
            const left = rowsOf(x, width, span);
            for (const columns of tiles.columns)
              torch.run(() => {
                const logits = wideProduct(device, left, columnsOf(w, width, columns));
                torch.launch("head_statistics", span.count, threads, [
                  torch.address(states),
                  torch.address(logits),
                  at(scale, span.start),
                  at(wanted, span.start),
                  columns.start,
                  columns.count,
                  columns.start + columns.count === vocabulary ? 1 : 0,
                  ...made.map((each) => at(each, span.start)),
                ]);
                return [];
              });
            return [];
          });
        return made;
      });
      const [logProbs, entropy, logSumExp] = results.map((each): Tensor => store.adoptFloats(each, [rows], "full")) as [
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
      const [rows, width, vocabulary] = expectHeadInputs(device, hidden, weight, targets, "headLogProbsBackward");
      const placed = needs.weight ? into.dWeight : undefined;
      const [dHidden, dW] = torch.run(() => {
        const [x, w] = [device.handle(hidden), device.handle(weight)];
        const [scale, wanted] = [device.handle(inverseTemperature), store.get(targets).handle];
        const [totals, incoming] = [device.handle(logSumExp), device.handle(dLogProbs)];
        const result = torch.empty(hidden.shape, device.working);
        const dWeight = needs.weight ? weightGradient(device, weight, rows, placed) : null;
        const tiles = tilesOf(rows, vocabulary, 6);
        for (const span of tiles.rows)
          torch.run(() => {
            const sum = torch.empty([span.count, width], float32);
            const left = rowsOf(x, width, span);
            for (const columns of tiles.columns)
              torch.run(() => {
                const d = torch.empty([span.count, columns.count], bfloat16);
                torch.run(() => {
                  const logits = wideProduct(device, left, columnsOf(w, width, columns));
                  torch.launch("head_gradient", span.count, threads, [
                    torch.address(d),
                    torch.address(logits),
                    ...[scale, totals, incoming, wanted].map((each) => at(each, span.start)),
                    columns.start,
                    columns.count,
                  ]);
                  return [];
                });
                const own = torch.view(w, [columns.count, width], [width, 1], columns.start * width);
                const factor = { handle: d, stride: columns.count };
                const right = (handle: Handle): Factor => ({ handle, stride: width, turned: false });
                const { count } = columns;
                const size = [span.count, count, width] as const;
                sumProduct(device, sum, { ...factor, turned: false }, right(own), size, columns.start > 0);
                if (dWeight === null) return [];
                const gradient = torch.view(dWeight, [count, width], [width, 1], columns.start * width);
                const add = span.start > 0 || placed?.add === true;
                sumProduct(device, gradient, { ...factor, turned: true }, right(left), [count, span.count, width], add);
                return [];
              });
            torch.copyInto(rowsOf(result, width, span), sum);
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
