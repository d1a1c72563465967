import type { Findings } from "./findings.ts";
import type { Rival } from "./rules/opponents.ts";
import type { PriceState } from "./rules/prices.ts";
import type { SecondGrade } from "./second-grades.ts";
import type { TrainSettings } from "./rules/settings.ts";

/** What an audit remembers from step to step: prices, and what estimators keep. */
export class Memory {
  readonly prices: Map<string, PriceState> = new Map();
  readonly baselines: Map<string, Map<string, number>> = new Map();
  /** The pool of opponents; absent without. */
  rivals?: Rival[];
  /** False where records of earlier steps are missing: prices are then taken as recorded. */
  readonly isWhole: boolean;

  constructor(isWhole: boolean) {
    this.isWhole = isWhole;
  }
}

/** What every step of an audit is given. */
export interface StepContext {
  /** The settings of the step. */
  readonly train: TrainSettings;
  readonly grade: SecondGrade | null;
  readonly memory: Memory;
  readonly findings: Findings;
}
