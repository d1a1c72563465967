import { LaconicError } from "@laconic/core";

/** Lets so many tasks run at a time; the others wait in order. */
export class Turns {
  readonly #waiting: { start(): void; reject(error: unknown): void }[] = [];
  #free: number;
  #closed = false;

  constructor(count: number) {
    this.#free = count;
  }

  /** @throws LaconicError `engine_failed` after `close` */
  async take<T>(task: () => Promise<T>): Promise<T> {
    if (this.#closed) throw closed();
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve, reject) => void this.#waiting.push({ start: resolve, reject }));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next) next.start();
      else this.#free++;
    }
  }

  /** Rejects those that wait. */
  close(): void {
    this.#closed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(closed());
  }
}

function closed(): LaconicError {
  return new LaconicError("engine_failed", "the sandbox was closed");
}
