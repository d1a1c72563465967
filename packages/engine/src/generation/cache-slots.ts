import type { Kernels, KeyValueCache } from "@laconic/kernels";
import type { ModelConfig } from "../transformer/model-config.ts";

/** Who has a cache row. */
export interface SlotHolder {
  /** Its cache row; -1 without one. */
  slot: number;
  /** Positions of the row that count. */
  readonly held: number;
}

/** The key-value caches of all layers, whose rows are handed out, moved and taken back together. */
export class CacheSlots {
  readonly #kernels: Kernels;
  readonly #config: ModelConfig;
  readonly #limit: number;
  #caches: KeyValueCache[] = [];
  #holders: (SlotHolder | null)[] = [];
  #capacity = 0;

  /** @param limit - most elements, keys and values of all layers */
  constructor(kernels: Kernels, config: ModelConfig, limit: number) {
    this.#kernels = kernels;
    this.#config = config;
    this.#limit = limit;
  }

  get caches(): readonly KeyValueCache[] {
    return this.#caches;
  }

  /** Positions of a row; 0 without caches. */
  get capacity(): number {
    return this.#capacity;
  }

  /** Bytes of one row in all layers, as long as rows are now. */
  get rowBytes(): number {
    const bytes = { float64: 8, float32: 4, bfloat16: 2 }[this.#kernels.dtype];
    return bytes * this.#elements(this.#capacity);
  }

  fits(rows: number, capacity: number): boolean {
    return rows * this.#elements(capacity) <= this.#limit;
  }

  /**
   * Makes room for that many rows and positions. The first caches are as large as asked for; later ones grow by half at
   * least, where that fits, so that requests which come one by one do not copy everything each time.
   */
  reserve(rows: number, capacity: number): void {
    const [hadRows, hadCapacity] = [this.#holders.length, this.#capacity];
    if (rows <= hadRows && capacity <= hadCapacity) return;
    const grown = (wanted: number, had: number): number =>
      wanted <= had ? had : Math.max(wanted, Math.floor(1.5 * had));
    const wide = Math.min(grown(capacity, hadCapacity), Math.max(capacity, this.#config.maxPositions));
    const generous = [grown(rows, hadRows), wide] as const;
    const exact = [Math.max(rows, hadRows), Math.max(capacity, hadCapacity)] as const;
    this.#replace(
      ...(hadRows === 0 || this.fits(...generous)
        ? generous
        : this.fits(...exact)
          ? exact
          : ([rows, exact[1]] as const)),
    );
  }

  /** Gives a holder the first free row. */
  place(holder: SlotHolder): void {
    const slot = this.#holders.indexOf(null);
    this.#put(holder, slot);
  }

  /** Gives one holder's row, with what it holds, to another. */
  handOver(from: SlotHolder, to: SlotHolder): void {
    const { slot } = from;
    this.release(from);
    this.#put(to, slot);
  }

  release(holder: SlotHolder): void {
    this.#holders[holder.slot] = null;
    holder.slot = -1;
  }

  /** Copies the first positions of one holder's row to the rows of others. */
  copy(from: SlotHolder, to: readonly SlotHolder[], length: number): void {
    if (to.length === 0 || length === 0) return;
    this.#copyRows(
      to.map(({ slot }) => ({ from: from.slot, to: slot, length })),
      this.#caches,
    );
  }

  /**
   * Moves the holders into rows 0, 1, 2, ..., whoever is there into others, so that a device can read the caches where
   * they lie instead of gathering rows.
   */
  gather(holders: readonly SlotHolder[]): void {
    const first = new Set(holders);
    const moves: RowCopy[] = [];
    let target = 0;
    for (const holder of holders.filter(({ slot }) => slot >= holders.length)) {
      while (first.has(this.#holders[target] as SlotHolder)) target += 1;
      const inTheWay = this.#holders[target];
      if (inTheWay) {
        if (!this.#holders.includes(null, holders.length)) {
          this.#copyRows(moves.splice(0), this.#caches);
          this.#replace(this.#holders.length + 1, this.#capacity);
        }
        moves.push(this.#move(inTheWay, this.#holders.indexOf(null, holders.length)));
      }
      moves.push(this.#move(holder, target));
    }
    this.#copyRows(moves, this.#caches);
  }

  /** Frees the caches; the holders lose their rows. */
  free(): void {
    for (const holder of this.#holders) if (holder) holder.slot = -1;
    for (const cache of this.#caches) this.#kernels.freeCache(cache);
    [this.#caches, this.#holders, this.#capacity] = [[], [], 0];
  }

  /** Of one row: keys and values of all layers. */
  #elements(capacity: number): number {
    const { layers, kvHeads, headDim } = this.#config;
    return capacity * 2 * layers * kvHeads * headDim;
  }

  #put(holder: SlotHolder, slot: number): void {
    this.#holders[slot] = holder;
    holder.slot = slot;
  }

  #move(holder: SlotHolder, to: number): RowCopy {
    const move = { from: holder.slot, to, length: holder.held };
    this.#holders[holder.slot] = null;
    this.#put(holder, to);
    return move;
  }

  /** Moves everything into caches of another size, the holders in their order into the first rows; layer by layer, to hold little twice. */
  #replace(rows: number, capacity: number): void {
    const { kvHeads, headDim, layers } = this.#config;
    const holders = this.#holders.filter((holder) => holder !== null);
    const copies = holders.map(({ slot, held }, to) => ({ from: slot, to, length: held }));
    const made: KeyValueCache[] = [];
    const old = this.#caches;
    for (let layer = 0; layer < layers; layer++) {
      try {
        made.push(this.#kernels.createCache({ rows, capacity, kvHeads, headDim }));
      } catch (error) {
        // Half of the layers have moved: nobody can go on from here.
        for (const cache of [...made, ...old.slice(layer)]) this.#kernels.freeCache(cache);
        [this.#caches, this.#holders, this.#capacity] = [[], [], 0];
        throw error;
      }
      const [source, target] = [old[layer], made[layer]];
      if (!source || !target) continue;
      this.#copyRows(copies, [target], source);
      this.#kernels.freeCache(source);
    }
    [this.#caches, this.#capacity] = [made, capacity];
    this.#holders = Array.from({ length: rows }, (_, slot) => holders[slot] ?? null);
    holders.forEach((holder, slot) => (holder.slot = slot));
  }

  #copyRows(copies: readonly RowCopy[], caches: readonly KeyValueCache[], source?: KeyValueCache): void {
    if (copies.length === 0) return;
    const from = Int32Array.from(copies, (copy) => copy.from);
    const to = Int32Array.from(copies, (copy) => copy.to);
    const lengths = Int32Array.from(copies, ({ length }) => length);
    for (const cache of caches) this.#kernels.copyCacheRows(cache, from, to, lengths, source);
  }
}

interface RowCopy {
  readonly from: number;
  readonly to: number;
  readonly length: number;
}
