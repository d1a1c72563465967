/**
 * The parts of a memory that nobody has, in order of address; neighbours are one. A part is taken from the first block
 * that has room, which keeps the end of the memory free.
 */
export class FreeBlocks {
  readonly #alignment: number;
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  /** @param alignment - of all addresses: sizes are rounded up to it */
  constructor(alignment: number) {
    this.#alignment = alignment;
  }

  /** Address of `bytes` that are free no longer; null where no block has room. Nothing at all takes a place too. */
  take(bytes: number): number | null {
    const size = this.#rounded(bytes);
    const at = this.#ends.findIndex((end, i) => end - (this.#starts[i] as number) >= size);
    if (at < 0) return null;
    const start = this.#starts[at] as number;
    if (start + size < (this.#ends[at] as number)) this.#starts[at] = start + size;
    else {
      this.#starts.splice(at, 1);
      this.#ends.splice(at, 1);
    }
    return start;
  }

  /** Adds what is free from now on. */
  add(address: number, bytes: number): void {
    const end = address + this.#rounded(bytes);
    let at = this.#after(address);
    if (at > 0 && this.#ends[at - 1] === address) {
      at -= 1;
      this.#ends[at] = end;
    } else {
      this.#starts.splice(at, 0, address);
      this.#ends.splice(at, 0, end);
    }
    if (this.#starts[at + 1] !== end) return;
    this.#ends[at] = this.#ends[at + 1] as number;
    this.#starts.splice(at + 1, 1);
    this.#ends.splice(at + 1, 1);
  }

  /** All that is free. */
  get bytes(): number {
    return this.#ends.reduce((sum, end, i) => sum + end - (this.#starts[i] as number), 0);
  }

  /** Free bytes right before an address. */
  before(address: number): number {
    const last = this.#after(address) - 1;
    return this.#ends[last] === address ? address - (this.#starts[last] as number) : 0;
  }

  /** Position of the first block behind an address. */
  #after(address: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] as number) < address) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #rounded(bytes: number): number {
    return Math.max(1, Math.ceil(bytes / this.#alignment)) * this.#alignment;
  }
}
