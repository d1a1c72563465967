import type { AttentionShape } from "../../contract.ts";
import { Matrix, zerosLike } from "./matrix.ts";

/** Query head h of row n, attending to rows `from` up to and including `to` of the keys and values. */
interface Place {
  readonly n: number;
  readonly h: number;
  readonly from: number;
  readonly to: number;
}

/** Causal attention within each packed sequence. */
export function attention(
  q: Matrix,
  k: Matrix,
  v: Matrix,
  shape: AttentionShape,
  offsets: Int32Array,
): { readonly out: Matrix; readonly logSumExp: Matrix } {
  const out = zerosLike(q);
  const logSumExp = new Matrix(q.rows, shape.queryHeads);
  for (const place of causalPlaces(shape, offsets))
    logSumExp.set(place.n, place.h, attendOneRow(q, k, v, shape, place, out));
  return { out, logSumExp };
}

/** Writes one head of one output row and returns the log-sum-exp of its scaled scores. */
export function attendOneRow(
  q: Matrix,
  k: Matrix,
  v: Matrix,
  shape: AttentionShape,
  place: Place,
  out: Matrix,
): number {
  const { n, h, from, to } = place;
  const { scores_J, logSumExp } = scaledScores(q, k, shape, place);
  const [qStart, kvStart] = headStarts(shape, h);
  for (let j = from; j <= to; j++) {
    const weight = Math.exp((scores_J[j - from] as number) - logSumExp);
    for (let d = 0; d < shape.headDim; d++) out.add(n, qStart + d, weight * v.at(j, kvStart + d));
  }
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
  offsets: Int32Array,
): { readonly dQ: Matrix; readonly dK: Matrix; readonly dV: Matrix } {
  const [dQ, dK, dV] = [zerosLike(q), zerosLike(k), zerosLike(v)];
  for (const place of causalPlaces(shape, offsets)) {
    const { n, h, from } = place;
    const [qStart, kvStart] = headStarts(shape, h);
    const { scores_J, logSumExp } = scaledScores(q, k, shape, place);
    const p_J = scores_J.map((score) => Math.exp(score - logSumExp));
    const dP_J = p_J.map((_, j) => dotHead(dOut, n, qStart, v, from + j, kvStart, shape.headDim));
    const mean = p_J.reduce((sum, p, j) => sum + p * (dP_J[j] as number), 0);
    p_J.forEach((p, j) => {
      const dScore = p * ((dP_J[j] as number) - mean) * shape.scale;
      for (let d = 0; d < shape.headDim; d++) {
        dV.add(from + j, kvStart + d, p * dOut.at(n, qStart + d));
        dQ.add(n, qStart + d, dScore * k.at(from + j, kvStart + d));
        dK.add(from + j, kvStart + d, dScore * q.at(n, qStart + d));
      }
    });
  }
  return { dQ, dK, dV };
}

/** Every query head of every row with the rows of its own sequence up to itself. */
function* causalPlaces(shape: AttentionShape, offsets: Int32Array): Generator<Place> {
  for (let s = 0; s + 1 < offsets.length; s++) {
    const from = offsets[s] as number;
    for (let n = from; n < (offsets[s + 1] as number); n++)
      for (let h = 0; h < shape.queryHeads; h++) yield { n, h, from, to: n };
  }
}

function scaledScores(
  q: Matrix,
  k: Matrix,
  shape: AttentionShape,
  { n, h, from, to }: Place,
): { readonly scores_J: Float64Array; readonly logSumExp: number } {
  const [qStart, kvStart] = headStarts(shape, h);
  const scores_J = Float64Array.from(
    { length: to - from + 1 },
    (_, j) => shape.scale * dotHead(q, n, qStart, k, from + j, kvStart, shape.headDim),
  );
  const top = scores_J.reduce((most, score) => Math.max(most, score), -Infinity);
  const sum = scores_J.reduce((total, score) => total + Math.exp(score - top), 0);
  return { scores_J, logSumExp: top + Math.log(sum) };
}

/** First columns of query head h and of the key/value head it reads. */
function headStarts({ queryHeads, kvHeads, headDim }: AttentionShape, h: number): [query: number, keyValue: number] {
  return [h * headDim, Math.floor((h * kvHeads) / queryHeads) * headDim];
}

function dotHead(a: Matrix, n: number, aStart: number, b: Matrix, m: number, bStart: number, headDim: number): number {
  let sum = 0;
  for (let d = 0; d < headDim; d++) sum += a.at(n, aStart + d) * b.at(m, bStart + d);
  return sum;
}
