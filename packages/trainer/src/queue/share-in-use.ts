/** The mean over time of something that changes at moments. */
export interface ShareInUse {
  /** From now on it is so much. */
  now(share: number): void;
  /** Since the last call; of no time at all, what it is now. */
  mean(): number;
}

/** @param now - in any unit that only goes forward */
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
