import { type TrainingSequence, inputError } from "@laconic/core";
import type { Kernels, SequenceLayout, Tensor } from "../kernels/index.ts";
import { prefixForest, rowsOfSequence, type PrefixForest } from "./prefix-forest.ts";

/** Shared prefixes occur once. */
export interface PackedBatch {
  /** int32 [N], without last tokens, which predict nothing. */
  readonly tokens: Tensor;
  /** int32 [N], from 0 in each sequence. */
  readonly positions: Tensor;
  readonly layout: SequenceLayout;
  /** int32 [U]: rows that predict something. */
  readonly rows: Tensor;
  /** int32 [K]: index among the U rows. Null if each row predicts one token. */
  readonly places: Tensor | null;
  /** int32 [K]. */
  readonly targets: Tensor;
  /** [K] */
  readonly inverseTemperature: Tensor;
  readonly forest: PrefixForest;
  /** `rows` on the host. */
  readonly selected: Int32Array;
  readonly predicted: Int32Array;
  /** Length M. Equal tokens after one prefix at one temperature share a prediction. */
  readonly predictions: Int32Array;
  /** Length S + 1, among the M. */
  readonly predictionOffsets: Int32Array;
}

/**
 * Packs sequences; those without completion have no rows.
 * @param options.shared - false gives every sequence separate rows
 * @param options.width - hidden size; then prefixes are shared only where this saves time
 * @throws LaconicError `input_invalid` for a completion without a prompt.
 */
export function packBatch(
  kernels: Kernels,
  sequences: readonly TrainingSequence[],
  { width, ...options }: { readonly shared?: boolean; readonly width?: number } = {},
): PackedBatch {
  sequences.forEach(({ promptTokens, completionTokens }, s) => {
    if (completionTokens.length > 0 && promptTokens.length === 0)
      throw inputError(`sequence ${s}: the prompt is empty`, { sequence: s });
  });
  const { branchCost } = kernels;
  const cost = branchCost &&
    width && { fixed: (branchCost.callWidth / width) ** 2, perReader: branchCost.readerWidth / width };
  const forest = prefixForest(sequences, { ...options, ...(cost && { cost }) });
  const { rows, targets, inverseTemperatures, ...rest } = predictionsOf(forest, sequences);
  const selected = Int32Array.from(new Set(rows)).toSorted();
  const placeOfRow = new Int32Array(forest.tokens.length);
  selected.forEach((row, index) => (placeOfRow[row] = index));
  const places = rows.map((row) => placeOfRow[row]!);
  const ints = (values: ArrayLike<number>): Tensor => kernels.upload(Int32Array.from(values), [values.length]);
  return {
    tokens: ints(forest.tokens),
    positions: ints(forest.positions),
    layout: sequenceLayout(kernels, forest.offsets, forest.parents),
    rows: ints(selected),
    places: places.length === selected.length && places.every((index, k) => index === k) ? null : ints(places),
    targets: ints(targets),
    inverseTemperature: kernels.upload(Float64Array.from(inverseTemperatures), [targets.length], "full"),
    forest,
    selected,
    predicted: Int32Array.from(targets),
    ...rest,
  };
}

function predictionsOf(
  forest: PrefixForest,
  sequences: readonly TrainingSequence[],
): Pick<PackedBatch, "predictions" | "predictionOffsets"> &
  Readonly<Record<"rows" | "targets" | "inverseTemperatures", readonly number[]>> {
  const [rows, targets, inverseTemperatures]: [number[], number[], number[]] = [[], [], []];
  /** Linked lists, because a row before a branch has several predictions. */
  const lastOfRow = new Int32Array(forest.tokens.length).fill(-1);
  const before: number[] = [];
  const predictionOf = (row: number, target: number, inverseTemperature: number): number => {
    for (let k = lastOfRow[row]!; k >= 0; k = before[k]!)
      if (targets[k] === target && inverseTemperatures[k] === inverseTemperature) return k;
    before.push(lastOfRow[row]!);
    rows.push(row);
    inverseTemperatures.push(inverseTemperature);
    return (lastOfRow[row] = targets.push(target) - 1);
  };
  const predictionOffsets = new Int32Array(sequences.length + 1);
  const predictions: number[] = [];
  sequences.forEach(({ promptTokens, completionTokens, temperature }, s) => {
    // Greedy log-probs are reported at temperature 1.
    const inverseTemperature = 1 / (temperature || 1);
    rowsOfSequence(forest, s, Math.max(0, promptTokens.length - 1)).forEach((row, i) =>
      predictions.push(predictionOf(row, completionTokens[i]!, inverseTemperature)),
    );
    predictionOffsets[s + 1] = predictions.length;
  });
  return { rows, targets, inverseTemperatures, predictions: Int32Array.from(predictions), predictionOffsets };
}

/** Expands [K] to completion tokens [M]. */
export function ofTokens(
  { predictions }: Pick<PackedBatch, "predictions">,
  ofPredictions: ArrayLike<number>,
): Float64Array {
  return Float64Array.from(predictions, (k) => ofPredictions[k]!);
}

/** Sums gradients [M] into predictions [K]. */
export function gradientOfPredictions(
  kernels: Kernels,
  { predictions, predicted }: PackedBatch,
  ofEachToken: ArrayLike<number>,
): Tensor {
  const sums = new Float64Array(predicted.length);
  predictions.forEach((k, m) => (sums[k] = sums[k]! + ofEachToken[m]!));
  return kernels.upload(sums, [sums.length], "full");
}

/** @param parents - -1 for none. Default: none */
export function sequenceLayout(kernels: Kernels, offsets: ArrayLike<number>, parents?: Int32Array): SequenceLayout {
  const host = Int32Array.from(offsets);
  const reach = new Int32Array(host.length - 1);
  let longest = 0;
  for (let s = 0; s < reach.length; s++) {
    const parent = parents?.[s] ?? -1;
    reach[s] = host[s + 1]! - host[s]! + (parent < 0 ? 0 : reach[parent]!);
    longest = Math.max(longest, reach[s]!);
  }
  return {
    offsets: host,
    offsetsOnDevice: kernels.upload(host, [host.length]),
    longest,
    ...(parents?.some((parent) => parent >= 0) && {
      tree: { parents, parentsOnDevice: kernels.upload(parents, [parents.length]) },
    }),
  };
}
