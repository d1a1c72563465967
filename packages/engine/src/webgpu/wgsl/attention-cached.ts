import type { AttentionShape, KeyValueCache } from "../../kernels/index.ts";
import type { GpuArray } from "../gpu-array.ts";
import { attentionConstants } from "./attention.ts";
import { groupIndex, threads, type WgslProgram } from "./program.ts";
import { headVectors } from "./vectors.ts";

/**
 * Attention to a cache in place. A workgroup computes one head of one token; threads divide the keys, then the head's
 * elements.
 * @param reach - int32 [N, 2]: sequence and number of visible positions
 * @param pages - int32 [S * width]
 */
export function attentionCachedProgram(
  inputs: Readonly<Record<"q" | "keys" | "values" | "reach" | "pages", GpuArray>>,
  { pageSize }: KeyValueCache,
  width: number,
  shape: AttentionShape,
): WgslProgram {
  const { vector, declaration } = headVectors(shape.headDim);
  const [tokens] = inputs.q.shape as [number];
  return {
    name: "attention-cached",
    constants: { ...attentionConstants(shape), PER_THREAD: Math.ceil(shape.headDim / threads) },
    inputs,
    vectors: vector ? ["q", "keys"] : [],
    integers: { tokens, pageSize, width },
    floats: { scale: shape.scale },
    groups: tokens * shape.queryHeads,
    code: `${declaration}
var<workgroup> place : vec2<i32>;
var<workgroup> query : array<V, CHUNKS>;
var<workgroup> scores : array<f32, THREADS>;
var<workgroup> shares : array<f32, THREADS>;
var<workgroup> rows : array<i32, THREADS>;
fn main(index : i32) {
  let group = ${groupIndex};
  let token = group / QUERY_HEADS;
  let head = group % QUERY_HEADS;
  if (localIndex == 0u) {
    if (token < uniforms.tokens) {
      place = vec2<i32>(reach[2 * token], reach[2 * token + 1]);
    } else {
      place = vec2<i32>(0);
    }
  }
  let at = workgroupUniformLoad(&place); // the same for all, which barriers ask for
  let own = i32(localIndex);
  let kvHead = head / GROUP;
  if (at.y > 0) {
    for (var c = own; c < CHUNKS; c += THREADS) {
      query[c] = q[(token * QUERY_HEADS + head) * CHUNKS + c] * uniforms.scale;
    }
  }
  workgroupBarrier();
  var mixed : array<f32, PER_THREAD>;
  var most = -1e30;
  var sum = 0.0;
  for (var start = 0; start < at.y; start += THREADS) {
    let count = min(THREADS, at.y - start);
    var score = -1e30;
    if (own < count) {
      let position = start + own;
      let page = pages[at.x * uniforms.width + position / uniforms.pageSize];
      let row = (page * KV_HEADS + kvHead) * uniforms.pageSize + position % uniforms.pageSize;
      rows[own] = row;
      var products = V();
      for (var c = 0; c < CHUNKS; c++) { products += query[c] * keys[row * CHUNKS + c]; }
      score = total(products);
    }
    scores[own] = score;
    workgroupBarrier();
    var next = most;
    for (var j = 0; j < count; j++) { next = max(next, scores[j]); }
    shares[own] = exp(score - next);
    workgroupBarrier();
    let kept = exp(most - next);
    sum *= kept;
    for (var j = 0; j < count; j++) { sum += shares[j]; }
    for (var n = 0; n < PER_THREAD; n++) {
      let d = own + n * THREADS;
      if (d < DIM) {
        var part = mixed[n] * kept;
        for (var j = 0; j < count; j++) { part += shares[j] * values[rows[j] * DIM + d]; }
        mixed[n] = part;
      }
    }
    most = next;
    workgroupBarrier();
  }
  if (at.y > 0) {
    for (var n = 0; n < PER_THREAD; n++) {
      let d = own + n * THREADS;
      if (d < DIM) { result[(token * QUERY_HEADS + head) * DIM + d] = mixed[n] / sum; }
    }
  }
}`,
  };
}
