import { LaconicError } from "@laconic/core";

interface Waiting {
  readonly alone: boolean;
  start(): void;
  reject(error: unknown): void;
}

/** Lets so many tasks run at a time, or one alone; the others wait in order. */
export class Turns {
  readonly #count: number;
  readonly #waiting: Waiting[] = [];
  #running = 0;
  #isAlone = false;
  #closed = false;

  constructor(count: number) {
    this.#count = count;
  }

  /**
   * @returns null where `signal` ended the wait before the task began
   * @throws LaconicError `engine_failed` after `close`
   */
  async take<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T | null> {
    return this.#take(task, false, signal);
  }

  /** Runs a task while no other runs: next, once those that run have ended. */
  async takeAlone<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T | null> {
    return this.#take(task, true, signal);
  }

  /** Rejects those that wait. */
  close(): void {
    this.#closed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(closed());
  }

  async #take<T>(task: () => Promise<T>, alone: boolean, signal: AbortSignal | undefined): Promise<T | null> {
    if (this.#closed) throw closed();
    if (!(await this.#turn(alone, signal))) return null;
    try {
      return await task();
    } finally {
      this.#running--;
      if (alone) this.#isAlone = false;
      this.#next();
    }
  }

  /** False where `signal` came first. */
  #turn(alone: boolean, signal: AbortSignal | undefined): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        resolve(false);
        this.#next();
      };
      const waiting: Waiting = {
        alone,
        start: () => {
          signal?.removeEventListener("abort", giveUp);
          resolve(true);
        },
        reject,
      };
      if (signal?.aborted) return resolve(false);
      signal?.addEventListener("abort", giveUp, { once: true });
      if (alone) this.#waiting.unshift(waiting);
      else this.#waiting.push(waiting);
      this.#next();
    });
  }

  #next(): void {
    for (let [first] = this.#waiting; first; [first] = this.#waiting) {
      if (this.#isAlone || this.#running >= (first.alone ? 1 : this.#count)) return;
      this.#waiting.shift();
      this.#running++;
      this.#isAlone = first.alone;
      first.start();
    }
  }
}

function closed(): LaconicError {
  return new LaconicError("engine_failed", "the sandbox was closed");
}
