import type { AgentId, Episode } from "@laconic/core";

/**
 * Whose share of an episode is counted: the whole team's when both keys are absent.
 * `from` and `by` together name one edge, sender to reader.
 */
export interface CostScope {
  /** Count only what this agent wrote, or read, or said. */
  readonly by?: AgentId;
  /** Count only what was read from this sender. */
  readonly from?: AgentId;
}

/** One thing an episode can be charged for. Measuring knows no price. */
export interface Cost {
  /** What one unit is, in words: the whole definition. */
  readonly unit: string;
  readonly scope: CostScope;
  /** Zero or more, in `unit`; NaN when the cost does not apply to this episode. */
  measure(episode: Episode): number;
}

/** Costs by term name, for example `tokens`. */
export type Costs = Readonly<Record<string, Cost>>;

/** Price of one unit by term name: the λ of Eq. 1. A cost without a price is measured and free. */
export type Prices = Readonly<Record<string, number>>;
