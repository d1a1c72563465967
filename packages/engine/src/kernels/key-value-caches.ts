import { LaconicError } from "@laconic/core";
import { heldPlaces } from "./cache-places.ts";
import type { AttentionShape, CachePlan, KeyValueCache, Tensor } from "./contract.ts";
import {
  expectCacheHeads,
  expectCachePlan,
  expectHeads,
  expectMatrix,
  expectPageCopies,
  within,
} from "./shape-checks.ts";

/** Live key-value caches of a kernel set. `C` adds device arrays. */
export class KeyValueCaches<C extends KeyValueCache> {
  readonly #alive = new Set<C>();

  get count(): number {
    return this.#alive.size;
  }

  adopt(cache: C): C {
    this.#alive.add(cache);
    return cache;
  }

  /** @throws LaconicError `engine_failed` for a freed cache */
  get(cache: KeyValueCache): C {
    if (this.#alive.has(cache as C)) return cache as C;
    throw new LaconicError(
      "engine_failed",
      "a key-value cache is used after it was freed or belongs to another kernel set",
    );
  }

  /** The caller frees the cache's arrays. */
  release(cache: KeyValueCache): C {
    const entry = this.get(cache);
    this.#alive.delete(entry);
    return entry;
  }

  /**
   * Checks the arguments of `attentionCached`; returns the cache and the number of new tokens.
   * @throws LaconicError `engine_failed` for a freed cache, `input_invalid`
   */
  attended(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    cache: KeyValueCache,
    shape: AttentionShape,
    plan: CachePlan,
  ): { readonly cache: C; readonly tokens: number } {
    const entry = this.get(cache);
    return within("attentionCached", () => {
      const [tokens] = expectMatrix(q, "q");
      expectHeads(shape, tokens, [q], [k, v]);
      expectCacheHeads(entry, shape);
      expectCachePlan(plan, entry, tokens);
      return { cache: entry, tokens };
    });
  }

  /**
   * Checks the arguments of `copyCachePages`.
   * @throws LaconicError `engine_failed` for a freed cache, `input_invalid`
   */
  copied(
    cache: KeyValueCache,
    from: Int32Array,
    to: Int32Array,
    lengths: Int32Array,
    source: KeyValueCache,
  ): { readonly target: C; readonly origin: C } {
    const [target, origin] = [this.get(cache), this.get(source)];
    within("copyCachePages", () => expectPageCopies(target, from, to, lengths, origin));
    return { target, origin };
  }

  *copiedRows(
    ...[cache, from, to, lengths, source]: Parameters<KeyValueCaches<C>["copied"]>
  ): Generator<ReturnType<KeyValueCaches<C>["copied"]> & { readonly reads: Int32Array; readonly writes: Int32Array }> {
    const { target, origin } = this.copied(cache, from, to, lengths, source);
    let start = 0;
    for (let end = 1; end <= from.length; end++) {
      const written = to.subarray(start, end);
      const isRead = origin === target && written.includes(from[end] ?? -1);
      if (end < from.length && !isRead && !written.includes(to[end]!)) continue;
      const part = (values: Int32Array): Int32Array => values.subarray(start, end);
      const reads = heldPlaces(part(from), part(lengths), origin);
      if (reads.length > 0) yield { target, origin, reads, writes: heldPlaces(part(to), part(lengths), target) };
      start = end;
    }
  }

  dispose(): void {
    this.#alive.clear();
  }
}
