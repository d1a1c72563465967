import type { PageHolder } from "./cache-pages.ts";
import { commonPrefix } from "./prompt-tree.ts";
import type { Reply } from "./reply.ts";

export interface KeptPrefix extends PageHolder {
  readonly conversation: string;
  readonly tokens: readonly number[];
  /** Time in seconds. */
  readonly keptAt: number;
}

export interface KeptPrefixLimits {
  /** Counted in whole pages. */
  readonly maxBytes: number;
  readonly maxAgeSeconds: number;
}

/** A run's samples must not depend on time. */
export const unlimited: KeptPrefixLimits = { maxBytes: Infinity, maxAgeSeconds: Infinity };

/** Prefix cache of conversations, oldest first. */
export class KeptPrefixes {
  readonly #limits: KeptPrefixLimits;
  readonly #now: () => number;
  #prefixes: KeptPrefix[] = [];

  /** @param now - clock in seconds */
  constructor(limits: KeptPrefixLimits = unlimited, now: () => number = () => performance.now() / 1000) {
    this.#limits = limits;
    this.#now = now;
  }

  get count(): number {
    return this.#prefixes.length;
  }

  keep({ request, tokens, held }: Reply, conversation: string): KeptPrefix {
    const all = [...request.promptTokens, ...tokens].slice(0, held);
    const prefix = { conversation, tokens: all, held, pages: [], keptAt: this.#now() };
    this.#prefixes.push(prefix);
    return prefix;
  }

  /** Longest prefix of the prompt in its conversation, without the last token, whose logits are needed. */
  longest({
    conversation,
    promptTokens,
  }: Reply["request"]): { readonly prefix: KeptPrefix; readonly length: number } | null {
    let best: { readonly prefix: KeptPrefix; readonly length: number } | null = null;
    for (const prefix of this.#prefixes) {
      if (prefix.conversation !== conversation) continue;
      const length = Math.min(commonPrefix(prefix.tokens, promptTokens), promptTokens.length - 1);
      if (length > (best?.length ?? 0)) best = { prefix, length };
    }
    return best;
  }

  remove(prefix: KeptPrefix): void {
    this.#prefixes = this.#prefixes.filter((other) => other !== prefix);
  }

  removeExcess(bytesOf: (prefix: KeptPrefix) => number): KeptPrefix[] {
    const { maxBytes, maxAgeSeconds } = this.#limits;
    const oldest = this.#now() - maxAgeSeconds;
    const inTime = this.#prefixes.filter(({ keptAt }) => keptAt > oldest);
    let first = inTime.length;
    let bytes = 0;
    while (first > 0) {
      bytes += bytesOf(inTime[first - 1]!);
      if (bytes > maxBytes) break;
      first -= 1;
    }
    const staying = new Set(inTime.slice(first));
    const removed = this.#prefixes.filter((prefix) => !staying.has(prefix));
    this.#prefixes = [...staying];
    return removed;
  }

  /** Until the oldest prefix expires; null for never. */
  get secondsLeft(): number | null {
    const [first] = this.#prefixes;
    if (!first || this.#limits.maxAgeSeconds === Infinity) return null;
    return Math.max(0, first.keptAt + this.#limits.maxAgeSeconds - this.#now());
  }

  get all(): readonly KeptPrefix[] {
    return this.#prefixes;
  }

  removeOldest(): KeptPrefix | null {
    return this.#prefixes.shift() ?? null;
  }

  clear(): void {
    this.#prefixes = [];
  }
}
