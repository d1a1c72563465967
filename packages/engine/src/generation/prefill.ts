import type { CachePlan, Kernels, KeyValueCache, Tensor } from "../kernels/index.ts";
import { forwardCached } from "../transformer/forward-cached.ts";
import type { ModelOnDevice } from "../transformer/model-on-device.ts";
import { sequenceLayout } from "../transformer/packed-batch.ts";
import { promptTree, type PromptNode } from "./prompt-tree.ts";

/** Shorter shared prefixes cost more in extra passes than they save. */
const minShared = 16;

/** Packs per-row stretches of new tokens. */
export function cachePlan(kernels: Kernels, rows: Int32Array, past: Int32Array, offsets: ArrayLike<number>): CachePlan {
  return {
    layout: sequenceLayout(kernels, offsets),
    rows,
    rowsOnDevice: kernels.upload(rows, [rows.length]),
    past,
    pastOnDevice: kernels.upload(past, [past.length]),
  };
}

/**
 * Fills row r of the caches with prompt r, computing shared stretches once.
 * Returns the logits after each prompt, [prompts, V].
 */
export function prefill(
  model: ModelOnDevice,
  caches: readonly KeyValueCache[],
  prompts: readonly (readonly number[])[],
): Tensor {
  const { kernels } = model;
  return kernels.scope(() => {
    const table: Tensor[] = [];
    /** For each prompt, which level's logits it takes and at which row. */
    const found: { level: number; at: number }[] = [];
    let level = promptTree(prompts, minShared);
    for (let depth = 0; level.length > 0; depth++) {
      table.push(prefillLevel(model, caches, level));
      level.forEach((node, at) => {
        for (const row of node.ends) found[row] = { level: depth, at };
        fork(kernels, caches, node);
      });
      level = level.flatMap((node) => node.children);
    }
    if (table.length === 1) {
      const rows = Int32Array.from(found, ({ at }) => at);
      return kernels.gatherRows(table[0] as Tensor, kernels.upload(rows, [rows.length]));
    }
    // Each level scatters its rows into place; a row is filled by exactly one level.
    return table
      .map((logits, depth) => {
        const takers = found.flatMap(({ level: own, at }, row) => (own === depth ? [{ row, at }] : []));
        if (takers.length === 0) return kernels.zeros([prompts.length, logits.shape[1] as number]);
        const from = Int32Array.from(takers, ({ at }) => at);
        const to = Int32Array.from(takers, ({ row }) => row);
        const chosen = kernels.gatherRows(logits, kernels.upload(from, [from.length]));
        return kernels.scatterAddRows(chosen, kernels.upload(to, [to.length]), prompts.length);
      })
      .reduce((sum, logits) => kernels.add(sum, logits));
  });
}

/** Computes one level of the tree in one pass; logits after each node, [nodes, V]. */
function prefillLevel(model: ModelOnDevice, caches: readonly KeyValueCache[], nodes: readonly PromptNode[]): Tensor {
  const offsets = [0];
  const tokens: number[] = [];
  for (const node of nodes) {
    tokens.push(...node.tokens);
    offsets.push(tokens.length);
  }
  const rows = Int32Array.from(nodes, (node) => node.row);
  const past = Int32Array.from(nodes, (node) => node.past);
  const last = Int32Array.from(offsets.slice(1), (end) => end - 1);
  return forwardCached(model, Int32Array.from(tokens), caches, cachePlan(model.kernels, rows, past, offsets), last);
}

/** Copies a finished stretch, with all before it, to the rows that go on from it. */
function fork(kernels: Kernels, caches: readonly KeyValueCache[], node: PromptNode): void {
  const targets = [...node.ends, ...node.children.map((child) => child.row)].filter((row) => row !== node.row);
  if (targets.length === 0) return;
  const length = node.past + node.tokens.length;
  const from = new Int32Array(targets.length).fill(node.row);
  const lengths = new Int32Array(targets.length).fill(length);
  for (const cache of caches) kernels.copyCacheRows(cache, from, Int32Array.from(targets), lengths);
}
