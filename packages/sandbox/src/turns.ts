import { LaconicError } from "@laconic/core";

interface Waiting {
  /** That it takes: one, or all to run alone. */
  readonly places: number;
  start(): void;
  reject(error: unknown): void;
}

/** How a task waits. */
export interface TurnOptions {
  readonly signal?: AbortSignal | undefined;
  /** Runs while no other does: next, once those that run have ended. */
  readonly alone?: boolean;
}

/** Lets so many tasks run at a time, or one alone; the others wait in order. */
export class Turns {
  readonly #count: number;
  #free: number;
  #waiting: Waiting[] = [];
  #closed = false;

  constructor(count: number) {
    this.#count = count;
    this.#free = count;
  }

  /**
   * @returns null where the signal ended the wait before the task began
   * @throws LaconicError `engine_failed` after `close`
   */
  async take<T>(task: () => Promise<T>, { signal, alone = false }: TurnOptions = {}): Promise<T | null> {
    const places = alone ? this.#count : 1;
    if (!(await this.#turn(places, alone, signal))) return null;
    try {
      return await task();
    } finally {
      this.#free += places;
      this.#next();
    }
  }

  /** Rejects those that wait. */
  close(): void {
    this.#closed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(closed());
  }

  /** False where the signal came first. */
  #turn(places: number, alone: boolean, signal: AbortSignal | undefined): Promise<boolean> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(closed());
      if (signal?.aborted) return resolve(false);
      const leave = (): void => {
        this.#waiting = this.#waiting.filter((each) => each !== waiting);
        resolve(false);
        this.#next();
      };
      const start = (): void => {
        signal?.removeEventListener("abort", leave);
        resolve(true);
      };
      const waiting: Waiting = { places, start, reject };
      signal?.addEventListener("abort", leave, { once: true });
      this.#waiting = alone ? [waiting, ...this.#waiting] : [...this.#waiting, waiting];
      this.#next();
    });
  }

  #next(): void {
    for (let [first] = this.#waiting; first && first.places <= this.#free; [first] = this.#waiting) {
      this.#waiting.shift();
      this.#free -= first.places;
      first.start();
    }
  }
}

function closed(): LaconicError {
  return new LaconicError("engine_failed", "the sandbox was closed");
}
