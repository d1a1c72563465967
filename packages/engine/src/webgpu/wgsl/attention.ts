import type { AttentionShape } from "../../kernels/index.ts";
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

/** Blocks of rows that a workgroup each works on. */
export interface AttentionBlocks {
  /**
   * int32. Of each block 4 numbers: its first row, its end, where its runs of keys begin in this array, and the end of the rows
   * that read its keys. In a tree then for every row the end of the rows that read it. Then the runs, 2 numbers each: the
   * first key and the end. The last run of a block ends with it.
   */
  readonly data: GpuArray;
  readonly count: number;
  readonly tree: boolean;
}

/** Of every program over blocks. */
export function blockParts(
  { data, count, tree }: AttentionBlocks,
  shape: AttentionShape,
): Pick<WgslProgram, "constants" | "uniforms"> & { readonly inputs: Readonly<Record<"blocks", { data: GpuArray }>> } {
  return {
    constants: { ...attentionConstants(shape), TREE: tree ? 1 : 0 },
    inputs: { blocks: { data } },
    uniforms: { blockCount: { type: "int32", value: count }, scale: { type: "float32", value: shape.scale } },
  };
}

/** WGSL: `at` is the workgroup's block, nothing beyond the last. */
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

/** WGSL: in a tree, the end of the rows that read this one. */
export const readersEnd = (row: string): string => `blocks[4 * uniforms.blockCount + ${row}]`;

/**
 * WGSL: the workgroup reads the block's runs of keys and values tile by tile; each query then does `body` for place `j` of every
 * tile that it may see. A key is seen by those behind it that continue its segment.
 */
export const overKeys = (body: string): string => `
  var run = at.z;
  for (var end = 0; end < at.y; run += 2) {
    end = blocks[run + 1];
    for (var start = blocks[run]; start < end; start += TILE) {
      for (var i = i32(localIndex); i < TILE * CHUNKS; i += THREADS) {
        let key = start + i / CHUNKS;
        if (key < end) {
          let source = (key * KV_HEADS + kvHead) * CHUNKS + i % CHUNKS;
          keyTile[i] = k[source];
          valueTile[i] = v[source];
        }
      }
      workgroupBarrier();
      if (lives) {
        for (var j = 0; j < min(TILE, min(row + 1, end) - start); j++) {
          if (TREE == 1 && row >= ${readersEnd("start + j")}) { continue; }
${body}
        }
      }
      workgroupBarrier();
    }
  }`;

/**
 * Causal attention in one pass (FlashAttention's online softmax, Dao et al. 2022): a thread holds a query and what it has
 * gathered, a workgroup reads tiles of keys and values together. Writes `result` and `logSumExp`.
 */
export function attentionProgram(
  { q, k, v }: Readonly<Record<"q" | "k" | "v", GpuArray>>,
  blocks: AttentionBlocks,
  shape: AttentionShape,
): WgslProgram {
  const { vector, declaration } = headVectors(shape.headDim);
  const { inputs, ...parts } = blockParts(blocks, shape);
  return {
    name: "attention",
    ...parts,
    inputs: { q: { data: q, vector }, k: { data: k, vector }, v: { data: v, vector }, ...inputs },
    groups: blocks.count * shape.queryHeads,
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
  var sum = 0.0;${overKeys(`          var products = V();
          for (var c = 0; c < CHUNKS; c++) { products += query[c] * keyTile[j * CHUNKS + c]; }
          let score = total(products);
          let next = max(most, score);
          let kept = exp(most - next);
          let share = exp(score - next);
          sum = sum * kept + share;
          for (var c = 0; c < CHUNKS; c++) { mixed[c] = mixed[c] * kept + share * valueTile[j * CHUNKS + c]; }
          most = next;`)}
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
