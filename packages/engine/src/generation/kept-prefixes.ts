import type { PageHolder } from "./cache-pages.ts";
import { commonPrefix } from "./prompt-tree.ts";
import type { Reply } from "./reply.ts";

/** The pages of an ended reply, kept for whoever goes on from it. */
export interface KeptPrefix extends PageHolder {
  readonly conversation: string;
  /** Those in its pages. */
  readonly tokens: readonly number[];
  /** Seconds, on the clock of its keeper. */
  readonly keptAt: number;
}

/** How long and how much is kept for requests that may never come. */
export interface KeptPrefixLimits {
  /** Of all that is kept together, in whole pages. */
  readonly maxBytes: number;
  readonly maxAgeSeconds: number;
}

/** As long as the caches have room: what a run samples must not depend on a clock. */
export const unlimitedPrefixes: KeptPrefixLimits = { maxBytes: Infinity, maxAgeSeconds: Infinity };

/** Pages that conversations may go on from, the one that ended first in front. */
export class KeptPrefixes {
  readonly #limits: KeptPrefixLimits;
  readonly #now: () => number;
  #kept: KeptPrefix[] = [];

  /** @param now - seconds since any fixed moment */
  constructor(limits: KeptPrefixLimits = unlimitedPrefixes, now: () => number = () => performance.now() / 1000) {
    this.#limits = limits;
    this.#now = now;
  }

  get count(): number {
    return this.#kept.length;
  }

  /** Takes over what an ended reply holds; the caller hands the pages over. */
  keep({ request, tokens, held }: Reply, conversation: string): KeptPrefix {
    const all = [...request.promptTokens, ...tokens].slice(0, held);
    const prefix = { conversation, tokens: all, held, pages: [], keptAt: this.#now() };
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

  /** Gives up what is too old, and the oldest beyond the limit in bytes. @param bytesOf - what each takes */
  removeExcess(bytesOf: (prefix: KeptPrefix) => number): KeptPrefix[] {
    const { maxBytes, maxAgeSeconds } = this.#limits;
    const oldest = this.#now() - maxAgeSeconds;
    const inTime = this.#kept.filter(({ keptAt }) => keptAt > oldest);
    let first = inTime.length;
    let bytes = 0;
    while (first > 0) {
      bytes += bytesOf(inTime[first - 1] as KeptPrefix);
      if (bytes > maxBytes) break;
      first -= 1;
    }
    const staying = new Set(inTime.slice(first));
    const removed = this.#kept.filter((prefix) => !staying.has(prefix));
    this.#kept = [...staying];
    return removed;
  }

  /** Until the oldest is too old; null when nothing ever is. */
  get secondsLeft(): number | null {
    const [first] = this.#kept;
    if (!first || this.#limits.maxAgeSeconds === Infinity) return null;
    return Math.max(0, first.keptAt + this.#limits.maxAgeSeconds - this.#now());
  }

  /** All of them, the one that ended first in front. */
  get all(): readonly KeptPrefix[] {
    return this.#kept;
  }

  /** Gives up the one that was kept first; null when there is none. */
  removeOldest(): KeptPrefix | null {
    return this.#kept.shift() ?? null;
  }

  clear(): void {
    this.#kept = [];
  }
}
