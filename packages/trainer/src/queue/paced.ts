import type { Timer } from "@laconic/rewards";

/** Resolves once everything that waits to run has had its turn. */
export function nextTurn(timer: Timer): Promise<void> {
  return new Promise((go) => void timer.after(0, go));
}

/**
 * Lets others have their turn between starts: a burst of thousands would hold up everything else for seconds.
 * @param perTurn - starts between two turns
 */
export function paced(timer: Timer, perTurn: number): () => Promise<void> {
  let starts = 0;
  return async () => {
    if (starts++ % perTurn === perTurn - 1) await nextTurn(timer);
  };
}

/**
 * Lets a few pass in each turn, the others in their order in the turns that follow: thousands of replies may come at the same moment,
 * and each is followed by what the next request is made of.
 */
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

export interface ShareInUse {
  now(share: number): void;
  /** Since the last call; of no time at all, what it is now. */
  mean(): number;
}

export function shareInUse(now: () => number): ShareInUse {
  let share = 0;
  let area = 0;
  let from = now();
  let last = now();
  const pass = (): void => {
    const time = now();
    area += share * (time - last);
    last = time;
  };
  return {
    now(value) {
      pass();
      share = value;
    },
    mean() {
      pass();
      const mean = last > from ? area / (last - from) : share;
      [area, from] = [0, last];
      return mean;
    },
  };
}
