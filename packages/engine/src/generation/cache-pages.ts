import { isOutOfMemory, type Kernels, type KeyValueCache } from "../kernels/index.ts";
import type { ModelConfig } from "../transformer/model-config.ts";
import { cacheLimitBytes, positionBytes, type CacheLimit } from "./cache-bytes.ts";

/** Who has pages of the cache. */
export interface PageHolder {
  /** In the order of its positions; empty without any. */
  pages: readonly number[];
  /** Positions that count. */
  readonly held: number;
}

/** Room that somebody asks for. */
export interface PageWant {
  readonly holder: PageHolder;
  /** In all, those included that it has. */
  readonly positions: number;
  /** Whose first positions it begins with: full pages are shared, the last is its own and filled by `copyRest`. */
  readonly start?: {
    readonly of: PageHolder;
    readonly length: number;
    /** Where pages cannot be shared it gets the page itself. */
    readonly takesOver?: boolean;
  };
}

/** Caches of this many elements are made for the longest replies at once: they are small, and never move. */
const smallElements = 1 << 26;

/**
 * The key-value caches of all layers, whose pages are handed out, shared and taken back together. Where a kernel set reads
 * pages through a table, holders take pages as they grow, and share full ones. Elsewhere a holder has one page, and all
 * pages grow together.
 */
export class CachePages {
  readonly #kernels: Kernels;
  readonly #config: ModelConfig;
  readonly #paged: boolean;
  readonly #holders = new Set<PageHolder>();
  #caches: KeyValueCache[] = [];
  #references: number[] = [];
  #pageSize = 0;
  /** Bytes that all caches may take; lowered where the device had less. */
  #most: number;

  constructor(kernels: Kernels, config: ModelConfig, limit: CacheLimit) {
    this.#kernels = kernels;
    this.#config = config;
    this.#most = cacheLimitBytes(kernels, limit);
    this.#paged = kernels.cachePageSize !== null;
  }

  get caches(): readonly KeyValueCache[] {
    return this.#caches;
  }

  get paged(): boolean {
    return this.#paged;
  }

  /** Of all layers, in bytes. */
  bytesOf({ pages }: PageHolder): number {
    return pages.length * this.#pageSize * this.#positionBytes;
  }

  /** Positions to ask for when a reply begins, of at most `most`: all of them while caches are small, else few more than it has. */
  firstPositions(content: number, most: number, replies: number): number {
    const small = !this.#paged && replies * most * this.#positionElements <= smallElements;
    return small ? most : Math.min(most, content + (this.#kernels.cachePageSize ?? headroom));
  }

  /** Positions to ask for so that a holder can take one more, of at most `most`; null when it has room. */
  nextPositions({ pages, held }: PageHolder, most: number): number | null {
    if (held < pages.length * this.#pageSize) return null;
    return this.#paged ? held + 1 : Math.min(most, held + headroom);
  }

  fits(wants: readonly PageWant[], reclaimable: readonly PageHolder[] = []): boolean {
    return this.#sizeFor(wants, reclaimable) !== null;
  }

  /**
   * Meets all wants, or none and answers false.
   *
   * @param force - beyond the limit if need be
   * @throws LaconicError `device_out_of_memory`; then there are no caches any more, nobody has pages, and the limit is lower
   */
  take(wants: readonly PageWant[], force = false): boolean {
    const size = this.#sizeFor(wants, [], force);
    if (!size) return false;
    if (size.pages !== this.#references.length || size.pageSize !== this.#pageSize)
      this.#replace(size.pages, size.pageSize);
    let next = 0;
    const free = (): number => {
      while (this.#references[next] !== 0) next += 1;
      return next;
    };
    for (const { holder, positions, start } of wants) {
      this.#holders.add(holder);
      if (start?.takesOver && !this.#paged) this.handOver(start.of, holder);
      else if (start && this.#paged && holder.pages.length === 0) {
        holder.pages = start.of.pages.slice(0, Math.floor(start.length / this.#pageSize));
        for (const page of holder.pages) this.#references[page] = (this.#references[page] as number) + 1;
      }
      const pages = [...holder.pages];
      while (pages.length < this.#pagesFor(positions)) {
        pages.push(free());
        this.#references[next] = 1;
      }
      holder.pages = pages;
    }
    return true;
  }

  /** Copies what no page is shared for, of the first `length` positions, to holders that began with them. */
  copyRest(from: PageHolder, to: readonly PageHolder[], length: number): void {
    const at = Math.floor(length / this.#pageSize);
    const rest = length % this.#pageSize;
    if (rest === 0) return;
    const page = from.pages[at] as number;
    const moves = to.map(({ pages }) => ({ from: page, to: pages[at] as number, length: rest }));
    this.#copyPages(moves, this.#caches);
  }

  /** Gives one holder's pages, with what they hold, to another that has none. */
  handOver(from: PageHolder, to: PageHolder): void {
    to.pages = from.pages;
    from.pages = [];
    this.#holders.delete(from);
    this.#holders.add(to);
  }

  release(holder: PageHolder): void {
    for (const page of holder.pages) this.#references[page] = (this.#references[page] as number) - 1;
    holder.pages = [];
    this.#holders.delete(holder);
  }

  /** The block table of some holders: their pages, filled up with page 0. */
  table(holders: readonly PageHolder[]): { readonly table: Int32Array; readonly width: number } {
    let width = 1;
    for (const { pages } of holders) width = Math.max(width, pages.length);
    const table = new Int32Array(holders.length * width);
    for (let i = 0; i < holders.length; i++) table.set((holders[i] as PageHolder).pages, i * width);
    return { table, width };
  }

  /**
   * Moves holders of single pages into pages 0, 1, 2, ..., whoever is there into others, so that a device can read the
   * caches where they lie instead of gathering pages.
   */
  gather(holders: readonly PageHolder[]): void {
    if (this.#paged || holders.length === 0) return;
    const first = new Set(holders);
    const inPage = new Map(Array.from(this.#holders, (holder) => [holder.pages[0] as number, holder]));
    const moves: PageCopy[] = [];
    const move = (holder: PageHolder, to: number): void => {
      const from = holder.pages[0] as number;
      moves.push({ from, to, length: holder.held });
      [this.#references[from], this.#references[to]] = [0, 1];
      inPage.delete(from);
      inPage.set(to, holder);
      holder.pages = [to];
    };
    let target = 0;
    for (const holder of holders.filter(({ pages }) => (pages[0] as number) >= holders.length)) {
      while (inPage.has(target) && first.has(inPage.get(target) as PageHolder)) target += 1;
      const inTheWay = inPage.get(target);
      if (inTheWay) {
        const empty = this.#references.indexOf(0, holders.length);
        // All pages are taken: they are gathered when one is free again.
        if (empty < 0) break;
        move(inTheWay, empty);
      }
      move(holder, target);
    }
    this.#copyPages(moves, this.#caches);
  }

  free(): void {
    for (const holder of this.#holders) holder.pages = [];
    for (const cache of this.#caches) this.#kernels.freeCache(cache);
    this.#forget();
  }

  #forget(): void {
    this.#holders.clear();
    [this.#caches, this.#references, this.#pageSize] = [[], [], 0];
  }

  get #positionElements(): number {
    const { layers, kvHeads, headDim } = this.#config;
    return 2 * layers * kvHeads * headDim;
  }

  get #positionBytes(): number {
    return positionBytes(this.#config, this.#kernels.dtype);
  }

  #pagesFor(positions: number): number {
    return this.#paged ? Math.ceil(positions / (this.#kernels.cachePageSize as number)) : 1;
  }

  /** Pages and their size with which the wants can be met; null where the limit forbids it. */
  #sizeFor(
    wants: readonly PageWant[],
    reclaimable: readonly PageHolder[],
    force = false,
  ): { readonly pages: number; readonly pageSize: number } | null {
    const had = this.#references.length;
    const positions = Math.floor(this.#most / this.#positionBytes);
    const unused = this.#references.reduce((count, each) => count + (each === 0 ? 1 : 0), 0);
    const used = had - unused - this.#freedBy(reclaimable);
    const wanted = used + this.#newPages(wants);
    const longest = Math.max(0, ...wants.map((want) => want.positions));
    if (this.#paged) {
      const pageSize = this.#kernels.cachePageSize as number;
      const most = Math.floor(positions / pageSize);
      if (wanted > Math.max(had, most)) return force ? { pages: wanted, pageSize } : null;
      return { pages: wanted <= had ? had : Math.max(wanted, Math.min(most, Math.floor(1.5 * had))), pageSize };
    }
    const gone = new Set(reclaimable);
    const needed = Math.max(longest, ...Array.from(this.#holders, (each) => (gone.has(each) ? 0 : each.held + 1)));
    if (wanted <= had && longest <= this.#pageSize) return { pages: had, pageSize: this.#pageSize };
    const grown = (next: number, before: number): number =>
      next <= before ? before : Math.max(next, Math.floor(1.5 * before));
    const wide = Math.min(grown(longest, this.#pageSize), Math.max(longest, this.#config.maxPositions));
    // Large steps where the limit allows them, so that requests which come one by one do not copy everything each time.
    const sizes = [
      { pages: grown(wanted, had), pageSize: wide },
      { pages: Math.max(wanted, had), pageSize: Math.max(longest, this.#pageSize) },
      { pages: wanted, pageSize: Math.max(needed, 1) },
    ];
    return sizes.find(({ pages, pageSize }) => pages * pageSize <= positions) ?? (force ? (sizes[2] ?? null) : null);
  }

  #newPages(wants: readonly PageWant[]): number {
    let count = 0;
    for (const { holder, positions, start } of wants) {
      if (start?.takesOver && !this.#paged) continue;
      const size = this.#paged ? (this.#kernels.cachePageSize as number) : 0;
      const shared = start && holder.pages.length === 0 && size > 0 ? Math.floor(start.length / size) : 0;
      count += Math.max(0, this.#pagesFor(positions) - Math.max(shared, holder.pages.length));
    }
    return count;
  }

  /** Pages that nobody has once these holders are gone. */
  #freedBy(holders: readonly PageHolder[]): number {
    const counts = new Map<number, number>();
    for (const { pages } of holders) for (const page of pages) counts.set(page, (counts.get(page) ?? 0) + 1);
    let freed = 0;
    for (const [page, count] of counts) if (this.#references[page] === count) freed += 1;
    return freed;
  }

  /**
   * Moves everything into caches of another size, layer by layer, to hold little twice. Pages keep their numbers, but
   * where there are fewer: single pages then go to the first ones, in their order.
   */
  #replace(pages: number, pageSize: number): void {
    const { kvHeads, headDim, layers } = this.#config;
    const old = this.#caches;
    // In the order of their pages, and as much of each as of the longest: where they lie side by side it is one copy.
    const holders = [...this.#holders]
      .filter((holder) => holder.pages.length > 0)
      .toSorted((a, b) => (a.pages[0] as number) - (b.pages[0] as number));
    const longest = Math.max(0, ...holders.map(({ held }) => held));
    const copies: PageCopy[] = this.#paged
      ? Array.from(this.#references.keys())
          .filter((page) => (this.#references[page] as number) > 0)
          .map((page) => ({ from: page, to: page, length: pageSize }))
      : holders.map((holder, to) => ({
          from: holder.pages[0] as number,
          to,
          length: Math.min(longest, this.#pageSize, pageSize),
        }));
    const made: KeyValueCache[] = [];
    for (let layer = 0; layer < layers; layer++) {
      try {
        made.push(this.#kernels.createCache({ pages, pageSize, kvHeads, headDim }));
      } catch (error) {
        // Half of the layers have moved: whoever had pages begins anew.
        for (const cache of [...made, ...old.slice(layer)]) this.#kernels.freeCache(cache);
        for (const holder of this.#holders) holder.pages = [];
        this.#forget();
        if (isOutOfMemory(error)) this.#most = Math.floor(0.7 * pages * pageSize * this.#positionBytes);
        throw error;
      }
      const [source, target] = [old[layer], made[layer]];
      if (!source || !target) continue;
      this.#copyPages(copies, [target], source);
      this.#kernels.freeCache(source);
    }
    const references = this.#paged ? this.#references : holders.map(() => 1);
    [this.#caches, this.#pageSize] = [made, pageSize];
    this.#references = Array.from({ length: pages }, (_, page) => references[page] ?? 0);
    if (!this.#paged) holders.forEach((holder, page) => (holder.pages = [page]));
  }

  #copyPages(copies: readonly PageCopy[], caches: readonly KeyValueCache[], source?: KeyValueCache): void {
    if (copies.length === 0) return;
    const from = Int32Array.from(copies, (copy) => copy.from);
    const to = Int32Array.from(copies, (copy) => copy.to);
    const lengths = Int32Array.from(copies, ({ length }) => length);
    for (const cache of caches) this.#kernels.copyCachePages(cache, from, to, lengths, source);
  }
}

interface PageCopy {
  readonly from: number;
  readonly to: number;
  readonly length: number;
}

/** Positions by which a reply in a page of its own grows. In pages it begins with one more: who comes in would else soon drive others out. */
const headroom = 64;
