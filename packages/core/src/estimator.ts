import type { StoredWeights, ModelResources } from "./engine.ts";
import type { Episode, Utterance } from "./episode/episode.ts";
import type { AgentId, Problem } from "./problem.ts";
import type { Diagnostics } from "./numeric/statistic.ts";

/** Batch of S rows: one per episode, agent or turn. */
export interface RewardBatch {
  /** Sum of terms minus priced costs; NaN if the reward does not apply. [S] */
  readonly rewards: Float64Array;
  /** Reward part from the turn's own terms. [S] */
  readonly turnRewards: Float64Array;
  /** Reward part from environment steps until its agent's next turn, included in `rewards` of all the agent's rows. [S] */
  readonly stepRewards: Float64Array;
  /** Rows of one query share a group. [S] */
  readonly groups: Int32Array;
  /** 1 / the episode's rows in the group, so that every episode counts once. Default 1. [S] */
  readonly weights?: Float64Array;
  /** Offsets of the trained tokens of each row. [S + 1] */
  readonly offsets: Int32Array;
  /** Set if the grouping key separates agents. [S] */
  readonly agents?: readonly AgentId[];
  readonly problems: readonly Problem[];
  readonly episodes: readonly Episode[];
  /** Utterances of each row's trained tokens. [S] */
  readonly utterances: readonly (readonly Utterance[])[];
  /** Terms before costs; NaN if not applicable. [S] each */
  readonly terms: Readonly<Record<string, Float64Array>>;
  /** Units by name. [S] each */
  readonly costs: Readonly<Record<string, Float64Array>>;
  /** λ of each cost. */
  readonly prices: Readonly<Record<string, number>>;
  /** Reward of the query's greedy answer. [S] */
  readonly greedyRewards?: Float64Array;
}

/** Custom grouping: utterances with equal keys share a group, even across problems. */
export type Grouping = (item: {
  readonly utterance: Utterance;
  readonly episode: Episode;
  readonly problem: Problem;
}) => string | number;

/** Result of an estimator. */
export interface Advantages<State = unknown> {
  /** Advantage per row, or per trained token of all rows. */
  readonly advantages: Float64Array;
  readonly diagnostics?: Diagnostics;
  /** Missing if unchanged. */
  readonly state?: State;
}

/**
 * Computes advantages from rewards; checkpoints store its memory.
 * @throws LaconicError `reward_invalid`
 */
export interface Estimator<State = unknown> {
  readonly name: string;
  readonly settings: Readonly<Record<string, string | number | boolean | null>>;
  /** `greedy`: one extra episode per problem at temperature 0. `agents`: a grouping key that separates agents. */
  readonly needs?: readonly ("greedy" | "agents")[];
  /** Set for one advantage per token; missing if only `estimate` decides. */
  readonly advantagePer?: "token";
  readonly weights?: StoredWeights;
  /** Missing if it is ready. */
  open?(resources: ModelResources): Promise<Estimator<State>>;
  init?(): State;
  estimate(batch: RewardBatch, state: State): Advantages<State> | Promise<Advantages<State>>;
}

type Given = Float64Array | readonly number[] | Advantages;

/** Estimator as a function; number lists are advantages. */
export type EstimatorFunction = (batch: RewardBatch) => Given | Promise<Given>;

/** Wraps a function as an estimator. */
export function asEstimator(input: Estimator | EstimatorFunction): Estimator {
  if (typeof input !== "function") return input;
  return {
    name: input.name === "" ? "own" : input.name,
    settings: {},
    estimate: (batch) => {
      const result = input(batch);
      return result instanceof Promise ? result.then(asAdvantages) : asAdvantages(result);
    },
  };
}

function asAdvantages(input: Given): Advantages {
  return ArrayBuffer.isView(input) || Array.isArray(input)
    ? { advantages: input as Float64Array }
    : (input as Advantages);
}
