import type { Tensor } from "../kernels/index.ts";
import { forwardCached } from "../transformer/forward-cached.ts";
import type { ModelOnDevice } from "../transformer/model-on-device.ts";
import { cachePlan } from "./cache-plan.ts";
import type { CachePages, PageWant } from "./cache-pages.ts";
import type { PromptNode } from "./prompt-tree.ts";
import type { Reply } from "./reply.ts";

/** Shorter shared prefixes cost more in extra passes than they save. */
export const minShared = 16;

interface Pending {
  readonly node: PromptNode;
  readonly replies: readonly Reply[];
  /** Tokens that earlier passes have taken. */
  done: number;
}

/** New tokens of one reply in one pass. */
interface Stretch {
  readonly pending: Pending;
  readonly tokens: readonly number[];
  readonly past: number;
  /** The node's tokens end here. */
  readonly last: boolean;
}

/** Replies whose prompt one pass has brought to its end. */
export interface PrefilledReplies {
  readonly replies: readonly Reply[];
  /** After each of them, [replies, V]; the caller frees it. */
  readonly logits: Tensor;
}

/** Prompts on their way into the caches, a pass at a time; stretches that several share are computed once. */
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

  /** @param nodes - of a prompt tree over the contents of these replies */
  add(nodes: readonly PromptNode[], replies: readonly Reply[]): void {
    this.#pending.push(...nodes.map((node) => ({ node, replies, done: 0 })));
  }

  clear(): void {
    this.#pending = [];
  }

  /**
   * Takes the next tokens, and says which prompts end with them; null when none does. A pass that throws can be tried
   * again with fewer tokens.
   *
   * @param maxTokens - new tokens of this pass: bounds the memory of activations
   */
  pass(maxTokens: number): PrefilledReplies | null {
    const stretches = this.#next(maxTokens);
    const ended = stretches.flatMap(({ pending, last }, at) =>
      last ? pending.node.ends.map((row) => ({ reply: pending.replies[row] as Reply, at })) : [],
    );
    const { kernels } = this.#model;
    const logits = kernels.scope(() => {
      const after = this.#forward(stretches);
      if (ended.length === 0) return null;
      return kernels.gatherRows(
        after,
        kernels.upload(
          Int32Array.from(ended, ({ at }) => at),
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
      // A short rest of the pass is not worth a cut; a node longer than a whole pass has to be cut.
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
    stretches.forEach(({ tokens }, i) => (offsets[i + 1] = (offsets[i] as number) + tokens.length));
    const tokens = new Int32Array(offsets.at(-1) as number);
    stretches.forEach((stretch, i) => tokens.set(stretch.tokens, offsets[i]));
    const table = this.#pages.table(stretches.map(({ pending }) => ownerOf(pending)));
    const past = Int32Array.from(stretches, (stretch) => stretch.past);
    const last = offsets.subarray(1).map((end) => end - 1);
    const plan = cachePlan(this.#model.kernels, table, past, offsets);
    return forwardCached(this.#model, tokens, this.#pages.caches, plan, last);
  }

  /** A stretch is in the caches: its node goes on, or hands its content to those that go on from it. */
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
  return replies[node.row] as Reply;
}

function followersOf(node: PromptNode, replies: readonly Reply[]): Reply[] {
  const rows = new Set([...node.ends, ...node.children.map(({ row }) => row)]);
  rows.delete(node.row);
  return Array.from(rows, (row) => replies[row] as Reply);
}

/**
 * The room that the replies of a prompt tree need, in an order in which those come first that others begin with.
 *
 * @param positions - of each reply
 * @param start - what the first of the tree begin with
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
