/** A figure over the runs of a group. */
export interface Figure {
  readonly mean: number;
  readonly values: readonly number[];
  /** 95 %: of one run's held-out problems, or of several runs' mean by Student's t; null where neither is known. */
  readonly interval: readonly [low: number, high: number] | null;
}
