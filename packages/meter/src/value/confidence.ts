/** Interval of a mean that holds at every time at once. */
export interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

const gridSize = 4000;
/** Largest share of the capital in a bet. */
const boldest = 0.75;

/**
 * Confidence sequence of the mean of values from -1 to 1, by hedged betting (Waudby-Smith & Ramdas 2024, section 4.4).
 * It covers the mean at all times with probability 1 - alpha, so looking at it after each value and stopping is valid.
 */
export class ConfidenceSequence {
  readonly #logThreshold: number;
  /** Log capital of bets that the mean is above, and below, each candidate. */
  readonly #above: Float64Array = new Float64Array(gridSize + 1);
  readonly #below: Float64Array = new Float64Array(gridSize + 1);
  readonly #isOut: Uint8Array = new Uint8Array(gridSize + 1);
  #count = 0;
  #sum = 0.5;
  #squares = 0.25;
  #total = 0;

  constructor(alpha = 0.05) {
    this.#logThreshold = Math.log(2 / alpha);
  }

  /** @param difference - from -1 to 1 */
  add(difference: number): void {
    const x = (difference + 1) / 2;
    const t = ++this.#count;
    this.#total += difference;
    const variance = this.#squares / t;
    const bet = Math.sqrt((2 * this.#logThreshold) / (variance * t * Math.log(1 + t)));
    for (let i = 0; i <= gridSize; i++) {
      const mean = i / gridSize;
      this.#above[i]! += Math.log1p(Math.min(bet, boldest / mean) * (x - mean));
      this.#below[i]! += Math.log1p(-Math.min(bet, boldest / (1 - mean)) * (x - mean));
      if (Math.max(this.#above[i]!, this.#below[i]!) >= this.#logThreshold) this.#isOut[i] = 1;
    }
    this.#sum += x;
    this.#squares += (x - this.#sum / (t + 1)) ** 2;
  }

  interval(): Interval {
    const low = this.#isOut.indexOf(0);
    const high = this.#isOut.lastIndexOf(0);
    const at = (i: number) => (2 * i) / gridSize - 1;
    return { value: this.#count === 0 ? 0 : this.#total / this.#count, low: at(low), high: at(high) };
  }
}
