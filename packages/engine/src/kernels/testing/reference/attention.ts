import type { AttentionShape, SequenceLayout } from "../../contract.ts";
import { ancestorRuns } from "../../cache-places.ts";
import { Matrix, zerosLike } from "./matrix.ts";

/** Query head h of row n, with the rows that it attends to. */
interface Place {
  readonly n: number;
  readonly h: number;
  readonly rows_J: readonly number[];
}

export function attention(
  q: Matrix,
  k: Matrix,
  v: Matrix,
  shape: AttentionShape,
  layout: SequenceLayout,
): { readonly out: Matrix; readonly logSumExp: Matrix } {
  const out = zerosLike(q);
  const logSumExp = new Matrix(q.rows, shape.queryHeads);
  for (const location of causalPlaces(shape, layout))
    logSumExp.set(location.n, location.h, attendOneRow(q, k, v, shape, location, out));
  return { out, logSumExp };
}

/** Writes one head of an output row; returns the log-sum-exp of its scaled scores. */
export function attendOneRow(
  q: Matrix,
  k: Matrix,
  v: Matrix,
  shape: AttentionShape,
  location: Place,
  out: Matrix,
): number {
  const { n, h, rows_J } = location;
  const { scores_J, logSumExp } = scaledScores(q, k, shape, location);
  const [qStart, kvStart] = headStarts(shape, h);
  rows_J.forEach((row, j) => {
    const weight = Math.exp((scores_J[j] as number) - logSumExp);
    for (let d = 0; d < shape.headDim; d++) out.add(n, qStart + d, weight * v.at(row, kvStart + d));
  });
  return logSumExp;
}

/**
 * Gradients of {@link attention}. With weights p_j = softmax(score_j) and dP_j = dOut . v_j:
 * dV_j = p_j dOut, dScore_j = p_j (dP_j - sum_i p_i dP_i), dQ = scale sum_j dScore_j k_j, dK_j = scale dScore_j q.
 */
export function attentionBackward(
  dOut: Matrix,
  q: Matrix,
  k: Matrix,
  v: Matrix,
  shape: AttentionShape,
  layout: SequenceLayout,
): { readonly dQ: Matrix; readonly dK: Matrix; readonly dV: Matrix } {
  const [dQ, dK, dV] = [zerosLike(q), zerosLike(k), zerosLike(v)];
  for (const location of causalPlaces(shape, layout)) {
    const { n, h, rows_J } = location;
    const [qStart, kvStart] = headStarts(shape, h);
    const { scores_J, logSumExp } = scaledScores(q, k, shape, location);
    const p_J = scores_J.map((score) => Math.exp(score - logSumExp));
    const dP_J = p_J.map((_, j) => dotHead(dOut, n, qStart, v, rows_J[j] as number, kvStart, shape.headDim));
    const mean = p_J.reduce((sum, p, j) => sum + p * (dP_J[j] as number), 0);
    p_J.forEach((p, j) => {
      const row = rows_J[j] as number;
      const dScore = p * ((dP_J[j] as number) - mean) * shape.scale;
      for (let d = 0; d < shape.headDim; d++) {
        dV.add(row, kvStart + d, p * dOut.at(n, qStart + d));
        dQ.add(n, qStart + d, dScore * k.at(row, kvStart + d));
        dK.add(row, kvStart + d, dScore * q.at(n, qStart + d));
      }
    });
  }
  return { dQ, dK, dV };
}

function* causalPlaces(shape: AttentionShape, layout: SequenceLayout): Generator<Place> {
  const { offsets } = layout;
  for (let s = 0; s + 1 < offsets.length; s++) {
    const path = ancestorRuns(layout, s).flatMap(({ start, end }) => rowsBetween(start, end));
    const behind = path.length - (offsets[s + 1] as number);
    for (let n = offsets[s] as number; n < (offsets[s + 1] as number); n++)
      for (let h = 0; h < shape.queryHeads; h++) yield { n, h, rows_J: path.slice(0, n + behind + 1) };
  }
}

export function rowsBetween(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, i) => start + i);
}

function scaledScores(
  q: Matrix,
  k: Matrix,
  shape: AttentionShape,
  { n, h, rows_J }: Place,
): { readonly scores_J: Float64Array; readonly logSumExp: number } {
  const [qStart, kvStart] = headStarts(shape, h);
  const scores_J = Float64Array.from(
    rows_J,
    (row) => shape.scale * dotHead(q, n, qStart, k, row, kvStart, shape.headDim),
  );
  const top = scores_J.reduce((most, score) => Math.max(most, score), -Infinity);
  const sum = scores_J.reduce((total, score) => total + Math.exp(score - top), 0);
  return { scores_J, logSumExp: top + Math.log(sum) };
}

function headStarts({ queryHeads, kvHeads, headDim }: AttentionShape, h: number): [query: number, keyValue: number] {
  return [h * headDim, Math.floor((h * kvHeads) / queryHeads) * headDim];
}

function dotHead(a: Matrix, n: number, aStart: number, b: Matrix, m: number, bStart: number, headDim: number): number {
  let sum = 0;
  for (let d = 0; d < headDim; d++) sum += a.at(n, aStart + d) * b.at(m, bStart + d);
  return sum;
}
