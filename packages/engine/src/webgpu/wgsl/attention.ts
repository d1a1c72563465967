import type { AttentionShape } from "../../kernels/index.ts";
import type { GpuArray } from "../gpu-array.ts";
import { groupIndex, threads, type WgslProgram } from "./program.ts";
import { headVectors, storeVector, tileRows } from "./vectors.ts";

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

export interface AttentionBlocks {
  /**
   * int32. Per block: first row, end, index of its key runs, end of its readers. Trees add the readers' end of every
   * row. Key runs follow as start and end; a block's last run ends with it.
   */
  readonly data: GpuArray;
  readonly count: number;
  readonly tree: boolean;
}

function common(
  inputs: WgslProgram["inputs"],
  { data, count, tree }: AttentionBlocks,
  shape: AttentionShape,
): Pick<WgslProgram, "constants" | "inputs" | "vectors" | "integers" | "floats"> {
  return {
    constants: { ...attentionConstants(shape), TREE: tree ? 1 : 0 },
    inputs: { ...inputs, blocks: data },
    vectors: headVectors(shape.headDim).vector ? ["q", "k", "v", "dOut"] : [],
    integers: { blockCount: count },
    floats: { scale: shape.scale },
  };
}

/** WGSL: `at` is the workgroup's block, and `row` the thread's, if it `lives`. */
const mainOverBlocks = (
  headDim: number,
  tiles: readonly [string, string],
  heads: string,
): string => `${headVectors(headDim).declaration}
var<workgroup> place : vec4<i32>;
${tiles.map((name) => `var<workgroup> ${name} : array<V, TILE * CHUNKS>;`).join("\n")}
fn main(index : i32) {
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
  let at = workgroupUniformLoad(&place); // the same for all, which barriers ask for
  let row = at.x + i32(localIndex);
  let lives = row < at.y;`;

/** WGSL: of rows that attend, one query head each. */
const queryMain = (headDim: number): string => `${mainOverBlocks(headDim, ["keyTile", "valueTile"], "QUERY_HEADS")}
  let kvHead = head / GROUP;
  let own = row * QUERY_HEADS + head;`;

/** WGSL: in a tree, the end of the rows that read this one. */
const readersEnd = (row: string): string => `blocks[4 * uniforms.blockCount + ${row}]`;

/**
 * WGSL: reads keys and values by tiles and runs `body` for each visible place `j`, in later rows of its segment's
 * path.
 */
const overKeys = (body: string): string => `
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

/** Causal attention in one pass (FlashAttention's online softmax, Dao et al. 2022). Threads hold queries. */
export function attentionProgram(
  inputs: Readonly<Record<"q" | "k" | "v", GpuArray>>,
  blocks: AttentionBlocks,
  shape: AttentionShape,
): WgslProgram {
  const { vector } = headVectors(shape.headDim);
  return {
    name: "attention",
    ...common(inputs, blocks, shape),
    groups: blocks.count * shape.queryHeads,
    code: `${queryMain(shape.headDim)}
  var query : array<V, CHUNKS>;
  var mixed : array<V, CHUNKS>;
  if (lives) {
    for (var c = 0; c < CHUNKS; c++) { query[c] = q[own * CHUNKS + c] * uniforms.scale; }
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
    for (var c = 0; c < CHUNKS; c++) {
      let out = mixed[c] / sum;
      ${storeVector("out", `own * DIM + c * ${vector ? 4 : 1}`, vector)}
    }
    logSumExp[own] = most + log(sum);
  }
}`,
  };
}

type Inputs = Readonly<Record<"q" | "k" | "v" | "dOut" | "stats", GpuArray>> & { readonly blocks: AttentionBlocks };

/** Log-sum-exp and sum of dOut * out, [N, queryHeads, 2]; one buffer saves a binding. */
export function attentionStats(
  inputs: Readonly<Record<"out" | "dOut" | "logSumExp", GpuArray>>,
  { headDim }: AttentionShape,
): WgslProgram {
  const count = inputs.logSumExp.size;
  return {
    name: "attention-stats",
    inputs,
    integers: { count, width: headDim },
    groups: Math.ceil(count / threads),
    code: `
fn main(index : i32) {
  if (index < uniforms.count) {
    var delta = 0.0;
    for (var i = index * uniforms.width; i < (index + 1) * uniforms.width; i++) { delta += dOut[i] * out[i]; }
    result[2 * index] = logSumExp[index];
    result[2 * index + 1] = delta;
  }
}`,
  };
}

/** Threads hold queries. */
export function attentionQueryGradient({ blocks, ...inputs }: Inputs, shape: AttentionShape): WgslProgram {
  const { vector } = headVectors(shape.headDim);
  return {
    name: "attention-query-gradient",
    ...common(inputs, blocks, shape),
    groups: blocks.count * shape.queryHeads,
    code: `${queryMain(shape.headDim)}
  var query : array<V, CHUNKS>;
  var dMixed : array<V, CHUNKS>;
  var gradient : array<V, CHUNKS>;
  var sums = 0.0;
  var along = 0.0;
  if (lives) {
    for (var c = 0; c < CHUNKS; c++) {
      query[c] = q[own * CHUNKS + c] * uniforms.scale;
      dMixed[c] = dOut[own * CHUNKS + c];
    }
    sums = stats[2 * own];
    along = stats[2 * own + 1];
  }${overKeys(`          var scores = V();
          var shares = V();
          for (var c = 0; c < CHUNKS; c++) {
            scores += query[c] * keyTile[j * CHUNKS + c];
            shares += dMixed[c] * valueTile[j * CHUNKS + c];
          }
          let factor = exp(total(scores) - sums) * (total(shares) - along) * uniforms.scale;
          for (var c = 0; c < CHUNKS; c++) { gradient[c] += factor * keyTile[j * CHUNKS + c]; }`)}
  if (lives) {
    for (var c = 0; c < CHUNKS; c++) {
      let out = gradient[c];
      ${storeVector("out", `own * DIM + c * ${vector ? 4 : 1}`, vector)}
    }
  }
}`,
  };
}

/**
 * Gradients of keys, `result`, and values, `valueGradient`. Threads hold keys; workgroups read later queries, head by
 * head. Elements have one writer, so sums have a fixed order.
 */
export function attentionKeyValueGradient({ blocks, ...inputs }: Inputs, shape: AttentionShape): WgslProgram {
  const { vector } = headVectors(shape.headDim);
  return {
    name: "attention-key-value-gradient",
    ...common(inputs, blocks, shape),
    groups: blocks.count * shape.kvHeads,
    code: `${mainOverBlocks(shape.headDim, ["queryTile", "dMixedTile"], "KV_HEADS")}
  let own = row * KV_HEADS + head;
  var key : array<V, CHUNKS>;
  var value : array<V, CHUNKS>;
  var dKey : array<V, CHUNKS>;
  var dValue : array<V, CHUNKS>;
  var readers = at.w;
  if (lives) {
    if (TREE == 1) { readers = ${readersEnd("row")}; }
    for (var c = 0; c < CHUNKS; c++) {
      key[c] = k[own * CHUNKS + c] * uniforms.scale;
      value[c] = v[own * CHUNKS + c];
    }
  }
  for (var member = 0; member < GROUP; member++) {
    let queryHead = head * GROUP + member;
    for (var start = at.x; start < at.w; start += TILE) {
      for (var i = i32(localIndex); i < TILE * CHUNKS; i += THREADS) {
        let reader = start + i / CHUNKS;
        if (reader < at.w) {
          let source = (reader * QUERY_HEADS + queryHead) * CHUNKS + i % CHUNKS;
          queryTile[i] = q[source];
          dMixedTile[i] = dOut[source];
        }
      }
      workgroupBarrier();
      if (lives) {
        for (var j = max(0, row - start); j < min(TILE, readers - start); j++) {
          let reader = (start + j) * QUERY_HEADS + queryHead;
          var scores = V();
          var shares = V();
          for (var c = 0; c < CHUNKS; c++) {
            scores += key[c] * queryTile[j * CHUNKS + c];
            shares += value[c] * dMixedTile[j * CHUNKS + c];
          }
          let share = exp(total(scores) - stats[2 * reader]);
          let factor = share * (total(shares) - stats[2 * reader + 1]) * uniforms.scale;
          for (var c = 0; c < CHUNKS; c++) {
            dKey[c] += factor * queryTile[j * CHUNKS + c];
            dValue[c] += share * dMixedTile[j * CHUNKS + c];
          }
        }
      }
      workgroupBarrier();
    }
  }
  if (lives) {
    for (var c = 0; c < CHUNKS; c++) {
      let to = own * DIM + c * ${vector ? 4 : 1};
      let keyPart = dKey[c];
      ${storeVector("keyPart", "to", vector)}
      let valuePart = dValue[c];
      ${storeVector("valuePart", "to", vector, "valueGradient")}
    }
  }
}`,
  };
}
