import type { AttentionShape } from "@laconic/kernels";
import type { GpuArray } from "../gpu-array.ts";
import { groupIndex, threads, type WgslProgram } from "./program.ts";
import { headVectors, storeVector, tileRows } from "./vectors.ts";

/** Constants of every attention program. */
export function attentionConstants({ queryHeads, kvHeads, headDim }: AttentionShape): Record<string, number> {
  return {
    DIM: headDim,
    CHUNKS: headVectors(headDim).chunks,
    TILE: tileRows(headDim),
    QUERY_HEADS: queryHeads,
    KV_HEADS: kvHeads,
    GROUP: queryHeads / kvHeads,
    THREADS: threads,
  };
}

/** WGSL: `at` is the workgroup's block as (first row, end, sequence's start, sequence's end), nothing beyond the last. */
export const blockOfGroup = (heads: string): string => `
  let group = ${groupIndex};
  let block = group / ${heads};
  let head = group % ${heads};
  if (localIndex == 0u) {
    if (block < uniforms.blockCount) {
      place = vec4<i32>(blocks[4 * block], blocks[4 * block + 1], blocks[4 * block + 2], blocks[4 * block + 3]);
    } else {
      place = vec4<i32>(0);
    }
  }
  let at = workgroupUniformLoad(&place); // the same for all, which barriers ask for`;

/** WGSL: the workgroup reads the keys and values from `start` on, up to the end of its block. */
export const readKeyValueTile = `    for (var i = i32(localIndex); i < TILE * CHUNKS; i += THREADS) {
      let key = start + i / CHUNKS;
      if (key < at.y) {
        let source = (key * KV_HEADS + kvHead) * CHUNKS + i % CHUNKS;
        keyTile[i] = k[source];
        valueTile[i] = v[source];
      }
    }
    workgroupBarrier();`;

/**
 * Causal attention in one pass (FlashAttention's online softmax, Dao et al. 2022): a thread holds a query and what it has
 * gathered, a workgroup reads tiles of keys and values together. Writes `result` and `logSumExp`.
 * @param blocks - int32 [B, 4], up to 64 query rows of one sequence each
 */
export function attentionProgram(
  { q, k, v, blocks }: Readonly<Record<"q" | "k" | "v" | "blocks", GpuArray>>,
  shape: AttentionShape,
): WgslProgram {
  const { vector, declaration } = headVectors(shape.headDim);
  const blockCount = blocks.size / 4;
  return {
    name: "attention",
    constants: attentionConstants(shape),
    inputs: { q: { data: q, vector }, k: { data: k, vector }, v: { data: v, vector }, blocks: { data: blocks } },
    uniforms: {
      blockCount: { type: "int32", value: blockCount },
      scale: { type: "float32", value: shape.scale },
    },
    groups: blockCount * shape.queryHeads,
    code: `${declaration}
var<workgroup> place : vec4<i32>;
var<workgroup> keyTile : array<V, TILE * CHUNKS>;
var<workgroup> valueTile : array<V, TILE * CHUNKS>;
fn main(index : i32) {${blockOfGroup("QUERY_HEADS")}
  let kvHead = head / GROUP;
  let row = at.x + i32(localIndex);
  let lives = row < at.y;
  var query : array<V, CHUNKS>;
  var mixed : array<V, CHUNKS>;
  if (lives) {
    for (var c = 0; c < CHUNKS; c++) { query[c] = q[(row * QUERY_HEADS + head) * CHUNKS + c] * uniforms.scale; }
  }
  var most = -1e30;
  var sum = 0.0;
  for (var start = at.z; start < at.y; start += TILE) {
${readKeyValueTile}
    if (lives) {
      for (var j = 0; j < min(TILE, row + 1 - start); j++) {
        var products = V();
        for (var c = 0; c < CHUNKS; c++) { products += query[c] * keyTile[j * CHUNKS + c]; }
        let score = total(products);
        let next = max(most, score);
        let kept = exp(most - next);
        let share = exp(score - next);
        sum = sum * kept + share;
        for (var c = 0; c < CHUNKS; c++) { mixed[c] = mixed[c] * kept + share * valueTile[j * CHUNKS + c]; }
        most = next;
      }
    }
    workgroupBarrier();
  }
  if (lives) {
    let to = row * QUERY_HEADS + head;
    for (var c = 0; c < CHUNKS; c++) {
      let out = mixed[c] / sum;
      ${storeVector("out", `to * DIM + c * ${vector ? 4 : 1}`, vector)}
    }
    logSumExp[to] = most + log(sum);
  }
}`,
  };
}
