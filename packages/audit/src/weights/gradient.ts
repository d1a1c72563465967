/** By parameter, made when it is first added to. */
export class Gradient {
  readonly values: Map<string, Float64Array> = new Map();
  readonly #isTrained: (name: string) => boolean;

  /** @param isTrained - whether a parameter learns; frozen ones have no gradient */
  constructor(isTrained: (name: string) => boolean = () => true) {
    this.#isTrained = isTrained;
  }

  /** Null for a frozen parameter. */
  of(name: string, length: number): Float64Array | null {
    if (!this.#isTrained(name)) return null;
    let values = this.values.get(name);
    if (!values) this.values.set(name, (values = new Float64Array(length)));
    return values;
  }

  /** Global L2 norm. */
  get norm(): number {
    let sum = 0;
    for (const values of this.values.values()) for (const value of values) sum += value * value;
    return Math.sqrt(sum);
  }
}
