/** An episode of a world of budgets: what was told, what was spent, and its grade. */
export interface Told {
  readonly budget: number;
  /** `known` where training has the budget. */
  readonly group: string;
  readonly tokens: number;
  readonly grade: number;
}

/** The episodes of one budget. */
export interface Dose {
  readonly budget: number;
  readonly group: string;
  readonly n: number;
  /** Mean. */
  readonly tokens: number;
  /** Half width of the mean's interval of 95 %, of the normal distribution. */
  readonly half: number;
  /** Standard deviation of single episodes. */
  readonly spread: number;
  /** Mean. */
  readonly grade: number;
}

/** What each told budget comes to, in their order. */
export function doseOf(episodes: readonly Told[]): Dose[] {
  const budgets = [...new Set(episodes.map(({ budget }) => budget))].toSorted((a, b) => a - b);
  return budgets.map((budget) => {
    const own = episodes.filter((each) => each.budget === budget);
    const n = own.length;
    const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / n;
    const tokens = mean(own.map((each) => each.tokens));
    const spread = Math.sqrt(own.reduce((sum, each) => sum + (each.tokens - tokens) ** 2, 0) / Math.max(1, n - 1));
    return {
      budget,
      group: own[0]?.group ?? "",
      n,
      tokens,
      spread,
      half: (1.96 * spread) / Math.sqrt(n),
      grade: mean(own.map((each) => each.grade)),
    };
  });
}
