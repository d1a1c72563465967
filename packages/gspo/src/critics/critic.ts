import type { AgentId, ModelResources, Problem, RewardBatch, StoredWeights, Utterance } from "@laconic/core";

/**
 * Estimates the value of a state and learns from returns. Its memory is plain state or named weights, which a checkpoint stores. It may
 * return promises.
 */
export interface Critic<State = unknown> {
  readonly name: string;
  /** Weights that it learns; a checkpoint stores them. Absent without weights. */
  readonly weights?: StoredWeights;
  /** Gives the critic itself once the run has an engine. Absent for one that is ready. */
  open?(resources: ModelResources): Promise<Critic<State>>;
  init(): State;
  /** What each row is expected to earn from its turn on, by what was known before that turn. [S] */
  values(batch: RewardBatch, state: State): Float64Array | Promise<Float64Array>;
  /** @param targets - return of each row. [S] */
  fit(batch: RewardBatch, targets: Float64Array, state: State): State | Promise<State>;
}

/** Everything before an utterance, including what the agent cannot see. */
export interface CriticView {
  /** With its gold answer and everybody's private views: a critic trains, and never speaks. */
  readonly problem: Problem;
  readonly agent: AgentId;
  readonly turn: number;
  /** The tokens that the agent read: its own view of the state. Empty where no local policy wrote. */
  readonly promptTokens: readonly number[];
  /** All that was said before, by anybody. */
  readonly before: readonly Utterance[];
}

/** The state before each row, in their order. */
export function viewsOf({ problems, episodes, utterances }: RewardBatch): CriticView[] {
  return problems.map((problem, row) => {
    const { agent = "", turn = 0, trace } = utterances[row]?.[0] ?? {};
    const before = (episodes[row]?.utterances ?? []).filter((each) => each.turn < turn);
    return { problem, agent, turn, promptTokens: trace?.promptTokens ?? [], before };
  });
}
