import type { SlotHolder } from "./cache-slots.ts";
import { commonPrefix } from "./prompt-tree.ts";
import type { Reply } from "./reply.ts";

/** The cache row of an ended reply, kept for whoever goes on from it. */
export interface KeptPrefix extends SlotHolder {
  readonly conversation: string;
  /** Those in the row. */
  readonly tokens: readonly number[];
}

/** Cache rows that conversations may go on from, the one that ended first in front. */
export class KeptPrefixes {
  #kept: KeptPrefix[] = [];

  get count(): number {
    return this.#kept.length;
  }

  /** Takes over what an ended reply holds; the caller hands the cache row over. */
  keep({ request, tokens, held }: Reply, conversation: string): KeptPrefix {
    const all = [...request.promptTokens, ...tokens].slice(0, held);
    const prefix = { conversation, tokens: all, held, slot: -1 };
    this.#kept.push(prefix);
    return prefix;
  }

  /**
   * The prefix of the prompt's conversation that shares most tokens with it. The prompt's last token is never shared:
   * the model has to be asked what follows it.
   */
  longest({
    conversation,
    promptTokens,
  }: Reply["request"]): { readonly prefix: KeptPrefix; readonly length: number } | null {
    let best: { readonly prefix: KeptPrefix; readonly length: number } | null = null;
    for (const prefix of this.#kept) {
      if (prefix.conversation !== conversation) continue;
      const length = Math.min(commonPrefix(prefix.tokens, promptTokens), promptTokens.length - 1);
      if (length > (best?.length ?? 0)) best = { prefix, length };
    }
    return best;
  }

  remove(prefix: KeptPrefix): void {
    this.#kept = this.#kept.filter((each) => each !== prefix);
  }

  /** Gives up the one that was kept first; null when there is none. */
  removeOldest(): KeptPrefix | null {
    return this.#kept.shift() ?? null;
  }

  clear(): void {
    this.#kept = [];
  }
}
