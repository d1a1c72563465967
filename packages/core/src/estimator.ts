import type { StoredWeights, ModelResources } from "./engine.ts";
import type { Episode, Utterance } from "./episode/episode.ts";
import type { AgentId, Problem } from "./problem.ts";
import type { Diagnostics } from "./numeric/statistic.ts";

/** Batch of S rows: one per episode, agent or turn, depending on the grouping key. */
export interface RewardBatch {
  /** Sum of terms minus priced costs; NaN if the reward does not apply. [S] */
  readonly rewards: Float64Array;
  /** Reward part from the turn's own terms; 0 without. [S] */
  readonly turnRewards: Float64Array;
  /**
   * Reward part from environment steps between the row's turn and its agent's next turn: rewards of the team and the
   * agent, included in `rewards` of all the agent's rows; 0 without. [S]
   */
  readonly stepRewards: Float64Array;
  /** Group id; rows of one query share a group. [S] */
  readonly groups: Int32Array;
  /** 1 / the episode's rows in the group, so that every episode counts once. Default 1. [S] */
  readonly weights?: Float64Array;
  /** Offsets of the trained tokens of each row. [S + 1] */
  readonly offsets: Int32Array;
  /** Agent of each row, if the grouping key separates agents. [S] */
  readonly agents?: readonly AgentId[];
  readonly problems: readonly Problem[];
  readonly episodes: readonly Episode[];
  /** Utterances of each row's trained tokens, in order. [S] */
  readonly utterances: readonly (readonly Utterance[])[];
  /** Reward terms by name, before costs; NaN if not applicable. [S] each */
  readonly terms: Readonly<Record<string, Float64Array>>;
  /** Units of each cost, by name. [S] each */
  readonly costs: Readonly<Record<string, Float64Array>>;
  /** λ of each cost in this step. */
  readonly prices: Readonly<Record<string, number>>;
  /** Reward of the query's greedy answer, for estimators that need it. [S] */
  readonly greedyRewards?: Float64Array;
}

interface GroupMember {
  readonly utterance: Utterance;
  readonly episode: Episode;
  readonly problem: Problem;
}

/** Custom grouping: utterances with equal keys share a group, even across problems. */
export type Grouping = (item: GroupMember) => string | number;

/** Result of an estimator. */
export interface Advantages<State = unknown> {
  /** Advantage per row, or per trained token of all rows. */
  readonly advantages: Float64Array;
  readonly diagnostics?: Diagnostics;
  /** New state; missing if unchanged. */
  readonly state?: State;
}

/**
 * Computes advantages from rewards. Its memory is plain state or named weights, which checkpoints store.
 * @throws LaconicError `reward_invalid` naming the row of an unusable reward
 */
export interface Estimator<State = unknown> {
  readonly name: string;
  /** Resolved settings for the run record. */
  readonly settings: Readonly<Record<string, string | number | boolean | null>>;
  /** `greedy`: one extra episode per problem at temperature 0. `agents`: a grouping key that separates agents. */
  readonly needs?: readonly ("greedy" | "agents")[];
  /** Set for one advantage per token; missing for one per utterance, or if only `estimate` decides. */
  readonly advantagePer?: "token";
  readonly weights?: StoredWeights;
  /** Returns the estimator for the run's engine. Missing if it is ready. */
  open?(resources: ModelResources): Promise<Estimator<State>>;
  /** Missing without a state. */
  init?(): State;
  estimate(batch: RewardBatch, state: State): Advantages<State> | Promise<Advantages<State>>;
}

type Given = Float64Array | readonly number[] | Advantages;

/** Estimator as a function; number lists are advantages. */
export type EstimatorFunction = (batch: RewardBatch) => Given | Promise<Given>;

/** Wraps a function as an estimator; returns estimators unchanged. */
export function asEstimator(given: Estimator | EstimatorFunction): Estimator {
  if (typeof given !== "function") return given;
  return {
    name: given.name === "" ? "own" : given.name,
    settings: {},
    estimate: (batch) => {
      const result = given(batch);
      return result instanceof Promise ? result.then(asAdvantages) : asAdvantages(result);
    },
  };
}

function asAdvantages(given: Given): Advantages {
  return ArrayBuffer.isView(given) || Array.isArray(given)
    ? { advantages: given as Float64Array }
    : (given as Advantages);
}
