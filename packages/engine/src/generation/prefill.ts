import type { CachePlan, Kernels, KeyValueCache, Tensor } from "../kernels/index.ts";
import { forwardCached } from "../transformer/forward-cached.ts";
import type { ModelOnDevice } from "../transformer/model-on-device.ts";
import { sequenceLayout } from "../transformer/packed-batch.ts";
import { promptTree, type PromptNode } from "./prompt-tree.ts";

/** Shorter shared prefixes cost more in extra passes than they save. */
const minShared = 16;

/** Prompts that one pass has brought to their end. */
export interface PrefilledPrompts {
  readonly prompts: readonly number[];
  /** After each of them, [prompts, V]; the caller frees it. */
  readonly logits: Tensor;
}

/** New tokens of one cache row, behind `past` others. */
interface Stretch {
  readonly node: PromptNode;
  readonly tokens: readonly number[];
  readonly past: number;
  /** The node's tokens end here. */
  readonly last: boolean;
}

/**
 * Fills row r of the caches with prompt r, computing shared stretches once. Yields prompts as they end; the caches are
 * ready for decoding when it returns.
 *
 * @param maxTokens - new tokens per pass: bounds the memory of activations
 */
export function* prefill(
  model: ModelOnDevice,
  caches: readonly KeyValueCache[],
  prompts: readonly (readonly number[])[],
  maxTokens: number,
): Generator<PrefilledPrompts, void> {
  const { kernels } = model;
  let level = promptTree(prompts, minShared);
  while (level.length > 0) {
    for (const stretches of passes(level, maxTokens)) {
      const ended = stretches.flatMap(({ node, last }, at) =>
        last ? node.ends.map((prompt) => ({ prompt, at })) : [],
      );
      const logits = kernels.scope(() => {
        const after = runPass(model, caches, stretches);
        if (ended.length === 0) return null;
        const rows = Int32Array.from(ended, ({ at }) => at);
        return kernels.gatherRows(after, kernels.upload(rows, [rows.length]));
      });
      for (const { node, last } of stretches) if (last) fork(kernels, caches, node);
      if (logits) yield { prompts: ended.map(({ prompt }) => prompt), logits };
    }
    level = level.flatMap((node) => node.children);
  }
}

/** Cuts the nodes of one level into passes. A node longer than a pass goes on in the next one. */
function passes(level: readonly PromptNode[], maxTokens: number): Stretch[][] {
  const result: Stretch[][] = [];
  let room = 0;
  for (const node of level)
    for (let start = 0; start < node.tokens.length; start += maxTokens) {
      const tokens = node.tokens.slice(start, start + maxTokens);
      if (tokens.length > room) {
        result.push([]);
        room = maxTokens;
      }
      room -= tokens.length;
      const last = start + tokens.length === node.tokens.length;
      (result.at(-1) as Stretch[]).push({ node, tokens, past: node.past + start, last });
    }
  return result;
}

/** Logits after each stretch, [stretches, V]. */
function runPass(model: ModelOnDevice, caches: readonly KeyValueCache[], stretches: readonly Stretch[]): Tensor {
  const offsets = new Int32Array(stretches.length + 1);
  stretches.forEach(({ tokens }, i) => (offsets[i + 1] = (offsets[i] as number) + tokens.length));
  const tokens = new Int32Array(offsets.at(-1) as number);
  stretches.forEach((stretch, i) => tokens.set(stretch.tokens, offsets[i]));
  const rows = Int32Array.from(stretches, ({ node }) => node.row);
  const past = Int32Array.from(stretches, (stretch) => stretch.past);
  const last = offsets.subarray(1).map((end) => end - 1);
  return forwardCached(model, tokens, caches, cachePlan(model.kernels, rows, past, offsets), last);
}

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

/** Copies a finished stretch, with all before it, to the rows that go on from it. */
function fork(kernels: Kernels, caches: readonly KeyValueCache[], node: PromptNode): void {
  const targets = [...node.ends, ...node.children.map((child) => child.row)].filter((row) => row !== node.row);
  if (targets.length === 0) return;
  const from = new Int32Array(targets.length).fill(node.row);
  const lengths = new Int32Array(targets.length).fill(node.past + node.tokens.length);
  for (const cache of caches) kernels.copyCacheRows(cache, from, Int32Array.from(targets), lengths);
}
