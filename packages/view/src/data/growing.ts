/** Numbers one behind the other, in memory that doubles as they come. */
export class Growing<Numbers extends Float64Array | Uint32Array | Int32Array> {
  #values: Numbers;
  #make: (length: number) => Numbers;
  length = 0;

  constructor(make: (length: number) => Numbers) {
    this.#make = make;
    this.#values = make(64);
  }

  push(value: number): void {
    if (this.length === this.#values.length) {
      const more = this.#make(2 * this.length);
      more.set(this.#values);
      this.#values = more;
    }
    this.#values[this.length++] = value;
  }

  at(i: number): number {
    return this.#values[i] as number;
  }

  /** As they are by now; not a copy. */
  values(): Numbers {
    return this.#values.subarray(0, this.length) as Numbers;
  }

  get bytes(): number {
    return this.#values.byteLength;
  }
}

export const wholes = (): Growing<Uint32Array> => new Growing((length) => new Uint32Array(length));
export const integers = (): Growing<Int32Array> => new Growing((length) => new Int32Array(length));
export const reals = (): Growing<Float64Array> => new Growing((length) => new Float64Array(length));

/** Texts by number, each once. */
export class Names {
  readonly #numbers = new Map<string, number>();
  readonly #names: string[] = [];
  #bytes = 0;

  numberOf(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.#names.length);
    this.#bytes += 2 * name.length + 80;
    return this.#names.push(name) - 1;
  }

  /** Undefined for a text that was never met. */
  find(name: string): number | undefined {
    return this.#numbers.get(name);
  }

  at(number: number): string {
    return this.#names[number] ?? "";
  }

  all(): readonly string[] {
    return this.#names;
  }

  /** Nearly. */
  get bytes(): number {
    return this.#bytes;
  }
}
