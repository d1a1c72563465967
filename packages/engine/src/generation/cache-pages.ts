import { isOutOfMemory, type Kernels, type KeyValueCache } from "../kernels/index.ts";
import type { ModelConfig } from "../transformer/model-config.ts";
import { cacheLimitBytes, positionBytes, type CacheLimit } from "./cache-bytes.ts";

export interface PageHolder {
  /** Ordered by position. */
  pages: readonly number[];
  /** Valid positions. */
  readonly held: number;
}

export interface PageWant {
  readonly holder: PageHolder;
  /** Includes existing positions. */
  readonly positions: number;
  /** Full pages are shared; `copyRest` copies the last one. */
  readonly start?: {
    readonly of: PageHolder;
    readonly length: number;
    /** Moves the page if it cannot be shared. */
    readonly takesOver?: boolean;
  };
}

/** Smaller caches get the size of the longest replies, so that they never move. */
const smallElements = 1 << 26;

/**
 * Page allocator for the key-value caches of all layers. If the kernels read page tables, holders take pages as they
 * grow and share full ones. Otherwise each holder has one page, and all grow together.
 */
export class CachePages {
  readonly #kernels: Kernels;
  readonly #config: ModelConfig;
  readonly paged: boolean;
  readonly #holders = new Set<PageHolder>();
  #caches: KeyValueCache[] = [];
  #references: number[] = [];
  #pageSize = 0;
  /** Bytes; lowered after running out of memory. */
  #most: number;

  constructor(kernels: Kernels, config: ModelConfig, limit: CacheLimit) {
    this.#kernels = kernels;
    this.#config = config;
    this.#most = cacheLimitBytes(kernels, limit);
    this.paged = kernels.cachePageSize !== null;
  }

  get caches(): readonly KeyValueCache[] {
    return this.#caches;
  }

  bytesOf({ pages }: PageHolder): number {
    return pages.length * this.#pageSize * this.#positionBytes;
  }

  /** Positions for a new reply: `most` if caches are small, otherwise slightly more than its content. */
  firstPositions(content: number, most: number, replies: number): number {
    const small = !this.paged && replies * most * this.#positionElements <= smallElements;
    return small ? most : Math.min(most, content + (this.#kernels.cachePageSize ?? headroom));
  }

  /** Positions for one more token, at most `most`; null if there is room. */
  nextPositions({ pages, held }: PageHolder, most: number): number | null {
    if (held < pages.length * this.#pageSize) return null;
    return this.paged ? held + 1 : Math.min(most, held + headroom);
  }

  fits(wants: readonly PageWant[], reclaimable: readonly PageHolder[] = []): boolean {
    return this.#sizeFor(wants, reclaimable) !== null;
  }

  /**
   * Allocates all requests, or none and returns false.
   * @param force - exceeds the limit if necessary
   * @throws LaconicError `device_out_of_memory`; then all pages are lost and the limit is lower
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
      if (start?.takesOver && !this.paged) this.handOver(start.of, holder);
      else if (start && this.paged && holder.pages.length === 0) {
        holder.pages = start.of.pages.slice(0, Math.floor(start.length / this.#pageSize));
        for (const page of holder.pages) this.#references[page] = this.#references[page]! + 1;
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

  /** Copies the unshared part of the first `length` positions. */
  copyRest(from: PageHolder, to: readonly PageHolder[], length: number): void {
    const index = Math.floor(length / this.#pageSize);
    const rest = length % this.#pageSize;
    if (rest === 0) return;
    const page = from.pages[index]!;
    const moves = to.map(({ pages }) => ({ from: page, to: pages[index]!, length: rest }));
    this.#copyPages(moves, this.#caches);
  }

  handOver(from: PageHolder, to: PageHolder): void {
    to.pages = from.pages;
    from.pages = [];
    this.#holders.delete(from);
    this.#holders.add(to);
  }

  release(holder: PageHolder): void {
    for (const page of holder.pages) this.#references[page] = this.#references[page]! - 1;
    holder.pages = [];
    this.#holders.delete(holder);
  }

  /** Padded with page 0. */
  table(holders: readonly PageHolder[]): { readonly table: Int32Array; readonly width: number } {
    let width = 1;
    for (const { pages } of holders) width = Math.max(width, pages.length);
    const table = new Int32Array(holders.length * width);
    for (let i = 0; i < holders.length; i++) table.set(holders[i]!.pages, i * width);
    return { table, width };
  }

  /** Moves single pages to 0, 1, 2, ..., so that a device can read them in place. */
  gather(holders: readonly PageHolder[]): void {
    if (this.paged || holders.length === 0) return;
    const first = new Set(holders);
    const inPage = new Map(Array.from(this.#holders, (holder) => [holder.pages[0]!, holder]));
    const moves: PageCopy[] = [];
    const move = (holder: PageHolder, to: number): void => {
      const from = holder.pages[0]!;
      moves.push({ from, to, length: holder.held });
      [this.#references[from], this.#references[to]] = [0, 1];
      inPage.delete(from);
      inPage.set(to, holder);
      holder.pages = [to];
    };
    let target = 0;
    for (const holder of holders.filter(({ pages }) => pages[0]! >= holders.length)) {
      while (inPage.has(target) && first.has(inPage.get(target)!)) target += 1;
      const inTheWay = inPage.get(target);
      if (inTheWay) {
        const empty = this.#references.indexOf(0, holders.length);
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
    return this.paged ? Math.ceil(positions / this.#kernels.cachePageSize!) : 1;
  }

  /** Number and size of pages; null above the limit. */
  #sizeFor(
    wants: readonly PageWant[],
    reclaimable: readonly PageHolder[],
    force = false,
  ): { readonly pages: number; readonly pageSize: number } | null {
    const held = this.#references.length;
    const positions = Math.floor(this.#most / this.#positionBytes);
    const unused = this.#references.reduce((count, reference) => count + (reference === 0 ? 1 : 0), 0);
    const used = held - unused - this.#freedBy(reclaimable);
    const required = used + this.#newPages(wants);
    const longest = Math.max(0, ...wants.map((want) => want.positions));
    if (this.paged) {
      const pageSize = this.#kernels.cachePageSize!;
      const most = Math.floor(positions / pageSize);
      if (required > Math.max(held, most)) return force ? { pages: required, pageSize } : null;
      return { pages: required <= held ? held : Math.max(required, Math.min(most, Math.floor(1.5 * held))), pageSize };
    }
    const gone = new Set(reclaimable);
    const needed = Math.max(
      longest,
      ...Array.from(this.#holders, (holder) => (gone.has(holder) ? 0 : holder.held + 1)),
    );
    if (required <= held && longest <= this.#pageSize) return { pages: held, pageSize: this.#pageSize };
    const grown = (next: number, before: number): number =>
      next <= before ? before : Math.max(next, Math.floor(1.5 * before));
    const wide = Math.min(grown(longest, this.#pageSize), Math.max(longest, this.#config.maxPositions));
    // Large steps avoid copies at every request.
    const sizes = [
      { pages: grown(required, held), pageSize: wide },
      { pages: Math.max(required, held), pageSize: Math.max(longest, this.#pageSize) },
      { pages: required, pageSize: Math.max(needed, 1) },
    ];
    return sizes.find(({ pages, pageSize }) => pages * pageSize <= positions) ?? (force ? (sizes[2] ?? null) : null);
  }

  #newPages(wants: readonly PageWant[]): number {
    let count = 0;
    for (const { holder, positions, start } of wants) {
      if (start?.takesOver && !this.paged) continue;
      const size = this.paged ? this.#kernels.cachePageSize! : 0;
      const shared = start && holder.pages.length === 0 && size > 0 ? Math.floor(start.length / size) : 0;
      count += Math.max(0, this.#pagesFor(positions) - Math.max(shared, holder.pages.length));
    }
    return count;
  }

  #freedBy(holders: readonly PageHolder[]): number {
    const counts = new Map<number, number>();
    for (const { pages } of holders) for (const page of pages) counts.set(page, (counts.get(page) ?? 0) + 1);
    let freed = 0;
    for (const [page, count] of counts) if (this.#references[page] === count) freed += 1;
    return freed;
  }

  /**
   * Moves pages into caches of another size, one layer at a time to save memory. Single pages are renumbered if there
   * are fewer.
   */
  #replace(pages: number, pageSize: number): void {
    const { kvHeads, headDim, layers } = this.#config;
    const old = this.#caches;
    // Adjacent pages of one length need one copy.
    const holders = [...this.#holders]
      .filter((holder) => holder.pages.length > 0)
      .toSorted((a, b) => a.pages[0]! - b.pages[0]!);
    const longest = Math.max(0, ...holders.map(({ held }) => held));
    const copies: PageCopy[] = this.paged
      ? Array.from(this.#references.keys())
          .filter((page) => this.#references[page]! > 0)
          .map((page) => ({ from: page, to: page, length: pageSize }))
      : holders.map((holder, to) => ({
          from: holder.pages[0]!,
          to,
          length: Math.min(longest, this.#pageSize, pageSize),
        }));
    const made: KeyValueCache[] = [];
    for (let layer = 0; layer < layers; layer++) {
      try {
        made.push(this.#kernels.createCache({ pages, pageSize, kvHeads, headDim }));
      } catch (error) {
        // Some layers have moved.
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
    const references = this.paged ? this.#references : holders.map(() => 1);
    [this.#caches, this.#pageSize] = [made, pageSize];
    this.#references = Array.from({ length: pages }, (_, page) => references[page] ?? 0);
    if (!this.paged) holders.forEach((holder, page) => (holder.pages = [page]));
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

/** Growth of a single-page reply, or spare page of a paged one against preemption. */
const headroom = 64;
