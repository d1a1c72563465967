import type { Tensor } from "../kernels/index.ts";
import { cachePlan, forwardCached } from "../transformer/forward-cached.ts";
import type { ModelOnDevice } from "../transformer/model-on-device.ts";
import type { CachePages, PageWant } from "./cache-pages.ts";
import type { PromptNode } from "./prompt-tree.ts";
import type { Reply } from "./reply.ts";

/** Shorter prefixes cost more passes than they save. */
export const minShared = 16;

interface Pending {
  readonly node: PromptNode;
  readonly replies: readonly Reply[];
  done: number;
}

interface Stretch {
  readonly pending: Pending;
  readonly tokens: readonly number[];
  readonly past: number;
  readonly last: boolean;
}

/** Prompts to be prefilled in passes; shared tokens are computed once. */
export class PrefillQueue {
  readonly #model: ModelOnDevice;
  readonly #pages: CachePages;
  #pending: Pending[] = [];

  constructor(model: ModelOnDevice, pages: CachePages) {
    this.#model = model;
    this.#pages = pages;
  }

  get empty(): boolean {
    return this.#pending.length === 0;
  }

  add(nodes: readonly PromptNode[], replies: readonly Reply[]): void {
    this.#pending.push(...nodes.map((node) => ({ node, replies, done: 0 })));
  }

  clear(): void {
    this.#pending = [];
  }

  /**
   * Computes the next tokens; returns replies whose prompt ended, or null. After an error, the pass can be repeated
   * with fewer tokens.
   * @param maxTokens - max new tokens; bounds activation memory
   */
  pass(maxTokens: number): { readonly replies: readonly Reply[]; readonly logits: Tensor } | null {
    const stretches = this.#next(maxTokens);
    const ended = stretches.flatMap(({ pending, last }, index) =>
      last ? pending.node.ends.map((row) => ({ reply: pending.replies[row]!, row: index })) : [],
    );
    const { kernels } = this.#model;
    const logits = kernels.scope(() => {
      const after = this.#forward(stretches);
      if (ended.length === 0) return null;
      return kernels.gatherRows(
        after,
        kernels.upload(
          Int32Array.from(ended, ({ row }) => row),
          [ended.length],
        ),
      );
    });
    for (const stretch of stretches) this.#take(stretch);
    return logits && { replies: ended.map(({ reply }) => reply), logits };
  }

  #next(maxTokens: number): Stretch[] {
    const stretches: Stretch[] = [];
    let room = maxTokens;
    for (const pending of this.#pending) {
      const { node, done } = pending;
      const left = node.tokens.length - done;
      // Only longer nodes than a pass are split.
      if (room < left && left <= maxTokens) break;
      const tokens = node.tokens.slice(done, done + room);
      stretches.push({ pending, tokens, past: node.past + done, last: tokens.length === left });
      room -= tokens.length;
      if (room === 0) break;
    }
    return stretches;
  }

  #forward(stretches: readonly Stretch[]): Tensor {
    const offsets = new Int32Array(stretches.length + 1);
    stretches.forEach(({ tokens }, i) => (offsets[i + 1] = offsets[i]! + tokens.length));
    const tokens = new Int32Array(offsets.at(-1)!);
    stretches.forEach((stretch, i) => tokens.set(stretch.tokens, offsets[i]));
    const table = this.#pages.table(stretches.map(({ pending }) => ownerOf(pending)));
    const past = Int32Array.from(stretches, (stretch) => stretch.past);
    const last = offsets.subarray(1).map((end) => end - 1);
    const plan = cachePlan(this.#model.kernels, table, past, offsets);
    return forwardCached(this.#model, tokens, this.#pages.caches, plan, last);
  }

  #take({ pending, tokens, last }: Stretch): void {
    pending.done += tokens.length;
    if (!last) return;
    const { node, replies } = pending;
    this.#pages.copyRest(ownerOf(pending), followersOf(node, replies), node.past + node.tokens.length);
    this.#pending.splice(this.#pending.indexOf(pending), 1);
    this.#pending.push(...node.children.map((child) => ({ node: child, replies, done: 0 })));
  }
}

function ownerOf({ node, replies }: { readonly node: PromptNode; readonly replies: readonly Reply[] }): Reply {
  return replies[node.row]!;
}

function followersOf(node: PromptNode, replies: readonly Reply[]): Reply[] {
  const rows = new Set([...node.ends, ...node.children.map(({ row }) => row)]);
  rows.delete(node.row);
  return Array.from(rows, (row) => replies[row]!);
}

/**
 * Pages needed by a prompt tree; prefixes come before their followers.
 * @param positions - of each reply
 */
export function wantsOf(
  nodes: readonly PromptNode[],
  replies: readonly Reply[],
  positions: (reply: Reply) => number,
  start?: PageWant["start"],
): PageWant[] {
  const wants: PageWant[] = [];
  const add = (holder: Reply, from: PageWant["start"]): void =>
    void wants.push({ holder, positions: positions(holder), ...(from && { start: from }) });
  const visit = (node: PromptNode): void => {
    const of = ownerOf({ node, replies });
    for (const reply of followersOf(node, replies)) add(reply, { of, length: node.past + node.tokens.length });
    for (const child of node.children) visit(child);
  };
  for (const node of nodes) {
    add(ownerOf({ node, replies }), start && { ...start, takesOver: wants.length === 0 });
    visit(node);
  }
  return wants;
}
