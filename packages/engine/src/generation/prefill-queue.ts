import type { Tensor } from "@laconic/kernels";
import { forwardCached } from "../transformer/forward-cached.ts";
import type { ModelOnDevice } from "../transformer/model-on-device.ts";
import { cachePlan } from "./cache-plan.ts";
import type { CacheSlots } from "./cache-slots.ts";
import { promptTree, type PromptNode } from "./prompt-tree.ts";
import type { Reply } from "./reply.ts";

/** Shorter shared prefixes cost more in extra passes than they save. */
export const minShared = 16;

/** A node of a prompt tree, with the replies that its row numbers mean. */
interface Pending {
  readonly node: PromptNode;
  readonly replies: readonly Reply[];
  /** Tokens that earlier passes have taken. */
  done: number;
}

/** New tokens of one cache row in one pass. */
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
  readonly #slots: CacheSlots;
  #pending: Pending[] = [];

  constructor(model: ModelOnDevice, slots: CacheSlots) {
    this.#model = model;
    this.#slots = slots;
  }

  get empty(): boolean {
    return this.#pending.length === 0;
  }

  /** @param past - positions that the rows of all of them hold already */
  add(replies: readonly Reply[], past: number): void {
    const prompts = replies.map(({ request }) => request.promptTokens);
    this.#pending.push(...promptTree(prompts, minShared, past).map((node) => ({ node, replies, done: 0 })));
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

  /** Logits after each stretch, [stretches, V]. */
  #forward(stretches: readonly Stretch[]): Tensor {
    const offsets = new Int32Array(stretches.length + 1);
    stretches.forEach(({ tokens }, i) => (offsets[i + 1] = (offsets[i] as number) + tokens.length));
    const tokens = new Int32Array(offsets.at(-1) as number);
    stretches.forEach((stretch, i) => tokens.set(stretch.tokens, offsets[i]));
    const rows = Int32Array.from(stretches, ({ pending }) => rowOf(pending).slot);
    const past = Int32Array.from(stretches, (stretch) => stretch.past);
    const last = offsets.subarray(1).map((end) => end - 1);
    const plan = cachePlan(this.#model.kernels, rows, past, offsets);
    return forwardCached(this.#model, tokens, this.#slots.caches, plan, last);
  }

  /** A stretch is in the caches: its node goes on, or hands its row's content to the rows that go on from it. */
  #take({ pending, tokens, last }: Stretch): void {
    pending.done += tokens.length;
    if (!last) return;
    const { node, replies } = pending;
    const own = rowOf(pending);
    const others = [...node.ends, ...node.children.map(({ row }) => row)].map((row) => replies[row] as Reply);
    this.#slots.copy(
      own,
      [...new Set(others)].filter((reply) => reply !== own),
      node.past + node.tokens.length,
    );
    this.#pending.splice(this.#pending.indexOf(pending), 1);
    this.#pending.push(...node.children.map((child) => ({ node: child, replies, done: 0 })));
  }
}

/** The reply in whose cache row the node is computed. */
function rowOf({ node, replies }: Pending): Reply {
  return replies[node.row] as Reply;
}
