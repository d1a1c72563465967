/** Adam (Kingma and Ba 2015), going up. */
export class Adam {
  /** `values[from][to]`. */
  readonly values: number[][];
  readonly #first: number[][];
  readonly #second: number[][];
  readonly #rate: number;
  #steps = 0;

  constructor(n: number, rate: number) {
    const square = (): number[][] => Array.from({ length: n }, () => Array.from({ length: n }, () => 0));
    [this.values, this.#first, this.#second] = [square(), square(), square()];
    this.#rate = rate;
  }

  /** @param gradient - of what is to grow */
  step(gradient: (from: number, to: number) => number): void {
    this.#steps++;
    const [c1, c2] = [1 - 0.9 ** this.#steps, 1 - 0.999 ** this.#steps];
    this.values.forEach((row, i) =>
      row.forEach((value, j) => {
        const g = gradient(i, j);
        const [first, second] = [this.#first[i] as number[], this.#second[i] as number[]];
        first[j] = 0.9 * (first[j] as number) + 0.1 * g;
        second[j] = 0.999 * (second[j] as number) + 0.001 * g * g;
        row[j] = value + (this.#rate * (first[j] / c1)) / (Math.sqrt(second[j] / c2) + 1e-8);
      }),
    );
  }
}
