/** A row of `evaluations.jsonl`: a team on validation problems; accuracy from 0 to 1, tokens a mean per episode. */
export interface RunEvaluation {
  readonly step: number;
  readonly problems: number;
  readonly accuracy: number;
  /** 95 % interval of the accuracy; null where it is not known. */
  readonly interval: readonly [low: number, high: number] | null;
  readonly tokens: number;
  /** Share of turns without a word, by agent. */
  readonly silence: Readonly<Record<string, number>>;
  /** By group of problems; absent where they have none. */
  readonly groups?: Readonly<Record<string, GroupFigures>>;
}

/** Of the problems of one group. */
export interface GroupFigures {
  readonly problems: number;
  readonly accuracy: number;
  readonly tokens: number;
  /** What the reward counts beside its terms. */
  readonly measures: Readonly<Record<string, number>>;
}
