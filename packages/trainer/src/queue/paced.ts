import type { Timer } from "@laconic/rewards";

/** Resolves after all pending tasks have run. */
export function nextTurn(timer: Timer): Promise<void> {
  return new Promise((go) => void timer.after(0, go));
}

/**
 * Yields between starts: a burst of thousands would block the event loop for seconds.
 * @param perTurn - starts per turn
 */
export function paced(timer: Timer, perTurn: number): () => Promise<void> {
  let starts = 0;
  return async () => {
    if (starts++ % perTurn === perTurn - 1) await nextTurn(timer);
  };
}

/** Lets `perTurn` callers pass per turn, in order: thousands of replies can arrive at once. */
export function rateLimiter(timer: Timer, perTurn: number): () => Promise<void> {
  const waiting: (() => void)[] = [];
  let passed = 0;
  let isCounting = false;
  const next = (): void => {
    const going = waiting.splice(0, perTurn);
    passed = going.length;
    isCounting = passed > 0;
    if (isCounting) timer.after(0, next);
    for (const go of going) go();
  };
  return async () => {
    if (!isCounting) {
      isCounting = true;
      timer.after(0, next);
    }
    if (passed < perTurn) passed += 1;
    else await new Promise<void>((go) => waiting.push(go));
  };
}

/** Time-weighted mean of a share. */
export class ShareInUse {
  readonly #now: () => number;
  #share = 0;
  #area = 0;
  #from: number;
  #last: number;

  /** @param now - monotonic clock in any unit */
  constructor(now: () => number) {
    this.#now = now;
    this.#from = this.#last = now();
  }

  set(share: number): void {
    this.#pass();
    this.#share = share;
  }

  /** Mean since the last call; the current share after no time. */
  mean(): number {
    this.#pass();
    const time = this.#last - this.#from;
    const mean = time > 0 ? this.#area / time : this.#share;
    [this.#area, this.#from] = [0, this.#last];
    return mean;
  }

  #pass(): void {
    const time = this.#now();
    this.#area += this.#share * (time - this.#last);
    this.#last = time;
  }
}
