interface Waiting {
  readonly alone: boolean;
  start(): void;
}

export class CallOrder {
  readonly #waiting: Waiting[] = [];
  #running = 0;
  #alone = false;

  /** Runs after every earlier exclusive call. */
  together<T>(task: () => Promise<T>): Promise<T> {
    return this.#enter(false, task);
  }

  /** Runs after every earlier call and before any later one. */
  alone<T>(task: () => Promise<T>): Promise<T> {
    return this.#enter(true, task);
  }

  #enter<T>(alone: boolean, task: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const run = async (): Promise<void> => {
        this.#running += 1;
        this.#alone = alone;
        try {
          resolve(await task());
        } catch (error) {
          reject(error);
        }
        this.#running -= 1;
        this.#alone = false;
        this.#startNext();
      };
      this.#waiting.push({ alone, start: () => void run() });
      this.#startNext();
    });
  }

  #startNext(): void {
    for (let next = this.#waiting[0]; next && !this.#alone; next = this.#waiting[0]) {
      if (next.alone && this.#running > 0) return;
      this.#waiting.shift();
      next.start();
    }
  }
}
