import type { StoredWeights, ModelResources } from "./engine.ts";
import type { Episode, Utterance } from "./episode/episode.ts";
import type { AgentId, Problem } from "./problem.ts";
import type { Diagnostics } from "./numeric/statistic.ts";

/** A batch of S rows: one per episode, or per agent's or turn's share of an episode, by the grouping key. */
export interface RewardBatch {
  /** Sum of the terms less priced costs; NaN where the reward does not apply. [S] */
  readonly rewards: Float64Array;
  /** Part of the reward from the turn's own terms; 0 without. [S] */
  readonly turnRewards: Float64Array;
  /**
   * Part of the reward from environment steps between the row's turn and its agent's next turn: rewards of the team and of
   * the agent, which all rows of the agent have in `rewards`; 0 without. [S]
   */
  readonly stepRewards: Float64Array;
  /** Rows that answer one query share a group. [S] */
  readonly groups: Int32Array;
  /** Weight of each row in its group: 1 over the rows of its episode there, so that every episode counts once. Absent for 1. [S] */
  readonly weights?: Float64Array;
  /** Offsets of the trained tokens of each row. [S + 1] */
  readonly offsets: Int32Array;
  /** Whose row it is, where the grouping key tells agents apart. [S] */
  readonly agents?: readonly AgentId[];
  /** Problem of each row, with its gold answer. [S] */
  readonly problems: readonly Problem[];
  /** Whole episode of each row. [S] */
  readonly episodes: readonly Episode[];
  /** Utterances of the trained tokens of each row, in order. [S] */
  readonly utterances: readonly (readonly Utterance[])[];
  /** Terms of the reward by name, before costs; NaN where one does not apply. [S] each */
  readonly terms: Readonly<Record<string, Float64Array>>;
  /** Units used of each cost, by name. [S] each */
  readonly costs: Readonly<Record<string, Float64Array>>;
  /** λ of each cost in this step. */
  readonly prices: Readonly<Record<string, number>>;
  /** Reward of the greedy answer to the row's query; present for an estimator that needs it. [S] */
  readonly greedyRewards?: Float64Array;
}

interface GroupMember {
  readonly utterance: Utterance;
  readonly episode: Episode;
  readonly problem: Problem;
}

/** A custom grouping: utterances with the same key share a group, even across problems. */
export type Grouping = (item: GroupMember) => string | number;

/** What an estimator says. */
export interface Advantages<State = unknown> {
  /** One per row, or one per trained token of all rows. */
  readonly advantages: Float64Array;
  readonly diagnostics?: Diagnostics;
  /** New state; absent if unchanged. */
  readonly state?: State;
}

/**
 * Computes advantages from rewards, possibly asynchronously. Its memory is plain state or named weights, which a checkpoint stores.
 * @throws LaconicError `reward_invalid` naming the row of an unusable reward
 */
export interface Estimator<State = unknown> {
  readonly name: string;
  /** Resolved settings, for the run record. */
  readonly settings: Readonly<Record<string, string | number | boolean | null>>;
  /** `greedy`: one more episode of each problem, at temperature 0. `agents`: a grouping key that tells agents apart. */
  readonly needs?: readonly ("greedy" | "agents")[];
  /** One advantage per token; absent for one per utterance, or if only `estimate` tells. */
  readonly advantagePer?: "token";
  readonly weights?: StoredWeights;
  /** Returns the estimator once the run has an engine; before that it cannot estimate. Absent if it is ready. */
  open?(resources: ModelResources): Promise<Estimator<State>>;
  /** Absent without a state. */
  init?(): State;
  estimate(batch: RewardBatch, state: State): Advantages<State> | Promise<Advantages<State>>;
}

type Given = Float64Array | readonly number[] | Advantages;

/** An estimator that is a function; a list of numbers is taken as advantages. */
export type EstimatorFunction = (batch: RewardBatch) => Given | Promise<Given>;

/** A function as an estimator; an estimator is returned unchanged. */
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

/** Other results are refused where advantages are checked. */
function asAdvantages(given: Given): Advantages {
  return ArrayBuffer.isView(given) || Array.isArray(given)
    ? { advantages: given as Float64Array }
    : (given as Advantages);
}
