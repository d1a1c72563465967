/** What a recording rests on, noted while it is made. */
export class Footprint<T extends { readonly range: readonly [least: number, most: number] }> {
  /** Tensors that it reads or writes, and their ranges before. */
  readonly ranges: Map<T, T["range"]> = new Map();
  /** Of these, the ones from whose values something follows that it reads too. */
  readonly sources: Set<T> = new Set();
  /** What was worked out from them inside: without values where nothing is run. */
  readonly derived: (readonly [T, string])[] = [];
  /** Called when any of it goes. */
  gone: () => void = () => undefined;

  use(tensor: T): void {
    if (!this.ranges.has(tensor)) this.ranges.set(tensor, tensor.range);
  }
}
