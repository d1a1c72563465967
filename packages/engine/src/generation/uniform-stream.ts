import type { Random } from "@laconic/core";

/**
 * A reply's uniform numbers by the place of the token that each draws. A device is given them ahead of time; the number
 * of a place stays the same, however often and in whatever order places are asked for.
 */
export class UniformStream {
  readonly #random: Random;
  readonly #drawn: number[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  at(place: number): number {
    while (this.#drawn.length <= place) this.#drawn.push(this.#random.uniform());
    return this.#drawn[place] as number;
  }
}
