import type { AgentId, ModelResources, Problem, RewardBatch, StoredWeights, Utterance } from "@laconic/core";

/** Estimates the value of a state and learns from returns, possibly asynchronously. Its memory is plain state or named weights. */
export interface Critic<State = unknown> {
  readonly name: string;
  /** Weights that it learns; a checkpoint stores them. Absent without weights. */
  readonly weights?: StoredWeights;
  /** Returns the critic once the run has an engine. Absent if it is ready. */
  open?(resources: ModelResources): Promise<Critic<State>>;
  init(): State;
  /** Expected return of each row from its turn on. [S] */
  values(batch: RewardBatch, state: State): Float64Array | Promise<Float64Array>;
  /** @param targets - return of each row. [S] */
  fit(batch: RewardBatch, targets: Float64Array, state: State): State | Promise<State>;
}

/** Everything before an utterance, including what the agent cannot see. */
export interface CriticView {
  /** With gold answer and all private views: a critic trains and never speaks. */
  readonly problem: Problem;
  readonly agent: AgentId;
  readonly turn: number;
  /** Tokens that the agent read; empty without a local policy. */
  readonly promptTokens: readonly number[];
  /** All earlier utterances. */
  readonly before: readonly Utterance[];
}

export function viewsOf({ problems, episodes, utterances }: RewardBatch): CriticView[] {
  return problems.map((problem, row) => {
    const { agent = "", turn = 0, trace } = utterances[row]?.[0] ?? {};
    const before = (episodes[row]?.utterances ?? []).filter((each) => each.turn < turn);
    return { problem, agent, turn, promptTokens: trace?.promptTokens ?? [], before };
  });
}
