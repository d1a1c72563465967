import type { StoredWeights, ModelResources } from "./engine.ts";
import type { Episode, Utterance } from "./episode/episode.ts";
import type { AgentId, Problem } from "./problem.ts";
import type { Diagnostics } from "./numeric/statistic.ts";

/**
 * What an estimator sees of a batch: one row for each episode, or for each agent's or turn's share of one, as the grouping
 * key says. All arrays have S rows.
 */
export interface RewardBatch {
  /** Sum of the terms less priced costs; NaN where the reward does not apply. [S] */
  readonly rewards: Float64Array;
  /** Part of the reward from the turn's own terms; 0 without. [S] */
  readonly turnRewards: Float64Array;
  /**
   * What of it an environment's steps earned from the row's turn until its agent's next: the team's and the agent's own rewards, which every
   * row of the agent has in `rewards`; 0 without. [S]
   */
  readonly stepRewards: Float64Array;
  /** Rows that answer one query share a group. [S] */
  readonly groups: Int32Array;
  /**
   * How much each row counts among those of its group: 1 over the rows that its episode has there, so that every episode counts once.
   * Absent where every row does. [S]
   */
  readonly weights?: Float64Array;
  /** Where a row's trained tokens begin, in one count over all rows. [S + 1] */
  readonly offsets: Int32Array;
  /** Whose row it is, where the grouping key tells agents apart. [S] */
  readonly agents?: readonly AgentId[];
  /** Of each row, its gold answer included. [S] */
  readonly problems: readonly Problem[];
  /** The whole episode of each row: what every agent saw and said. [S] */
  readonly episodes: readonly Episode[];
  /** What the trained tokens of each row are of, in their order. [S] */
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

/** An utterance that is to learn, in its episode. */
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
  /** What the estimator remembers; the state it was given when absent. */
  readonly state?: State;
}

/**
 * From rewards to advantages. What it remembers is a value, plain data that a checkpoint holds, or weights that it names: no state
 * elsewhere. It may take its time (a model that judges), and then answers with a promise.
 * @throws LaconicError `reward_invalid` naming the row of a reward that cannot be used.
 */
export interface Estimator<State = unknown> {
  readonly name: string;
  /** Resolved settings, for the run record. */
  readonly settings: Readonly<Record<string, string | number | boolean | null>>;
  /** `greedy`: one more episode of each problem, at temperature 0. `agents`: a grouping key that tells agents apart. */
  readonly needs?: readonly ("greedy" | "agents")[];
  /** It gives one advantage per token; absent for one that gives one per utterance, or tells only in `estimate`. */
  readonly advantagePer?: "token";
  /** Weights that it learns; a checkpoint stores them. Absent without weights. */
  readonly weights?: StoredWeights;
  /** Gives the estimator itself once the run has an engine; until then it cannot estimate. Absent for one that is ready. */
  open?(resources: ModelResources): Promise<Estimator<State>>;
  /** Absent for one that remembers nothing. */
  init?(): State;
  estimate(batch: RewardBatch, state: State): Advantages<State> | Promise<Advantages<State>>;
}

type Given = Float64Array | readonly number[] | Advantages;

/** An estimator that is a function; a list of numbers is taken as advantages. */
export type EstimatorFunction = (batch: RewardBatch) => Given | Promise<Given>;

/** A function as an estimator; one that is an estimator comes back as it is. */
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

/** Numbers alone are advantages. What is neither is refused where advantages are checked. */
function asAdvantages(given: Given): Advantages {
  return ArrayBuffer.isView(given) || Array.isArray(given)
    ? { advantages: given as Float64Array }
    : (given as Advantages);
}
