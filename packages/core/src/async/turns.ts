import { LaconicError } from "../errors.ts";

interface Waiting {
  readonly places: number;
  start(): void;
  fail(error: LaconicError): void;
}

/** First-in-first-out semaphore. A request for more places than exist runs alone. */
export class Turns {
  #count: number;
  #taken = 0;
  #holders = 0;
  #waiting: Waiting[] = [];
  #closed: LaconicError | null = null;

  constructor(count: number) {
    this.#count = count;
  }

  get count(): number {
    return this.#count;
  }
  get taken(): number {
    return this.#taken;
  }
  set count(count: number) {
    this.#count = count;
    this.#next();
  }

  /**
   * Waits for free places; `first` goes to the front of the queue.
   * @throws LaconicError `aborted`, or the error of `close`
   */
  enter(signal?: AbortSignal, places = 1, first = false): Promise<void> {
    return new Promise((resolve, reject) => {
      const aborted = (): void =>
        reject(new LaconicError("aborted", "the request was aborted while it waited", {}, signal?.reason));
      if (this.#closed) return reject(this.#closed);
      if (signal?.aborted) return aborted();
      const leave = (): void => {
        this.#waiting = this.#waiting.filter((item) => item !== waiting);
        aborted();
        this.#next();
      };
      const settled = (settle: () => void): void => {
        signal?.removeEventListener("abort", leave);
        settle();
      };
      const waiting = { places, start: () => settled(resolve), fail: (error: Error) => settled(() => reject(error)) };
      signal?.addEventListener("abort", leave, { once: true });
      if (first) this.#waiting.unshift(waiting);
      else this.#waiting.push(waiting);
      this.#next();
    });
  }

  leave(places = 1): void {
    this.#holders -= 1;
    // avoids the rounding error of fractional places
    this.#taken = this.#holders === 0 ? 0 : this.#taken - places;
    this.#next();
  }

  /** Rejects waiting and later requests. */
  close(error: LaconicError): void {
    this.#closed = error;
    for (const { fail } of this.#waiting.splice(0)) fail(error);
  }

  #next(): void {
    const fits = ({ places }: Waiting) => this.#holders === 0 || this.#taken + places <= this.#count;
    for (let [next] = this.#waiting; next && fits(next); [next] = this.#waiting) {
      this.#waiting.shift();
      this.#holders += 1;
      this.#taken += next.places;
      next.start();
    }
  }
}
