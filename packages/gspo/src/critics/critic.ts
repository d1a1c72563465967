import type { AgentId, ModelResources, Problem, RewardBatch, StoredWeights, Utterance } from "@laconic/core";

/** Estimates state values and learns from returns. */
export interface Critic<State = unknown> {
  readonly name: string;
  readonly weights?: StoredWeights;
  /** Missing if the critic is ready. */
  open?(resources: ModelResources): Promise<Critic<State>>;
  init(): State;
  /** Expected return from the row's turn on, [S]. */
  values(batch: RewardBatch, state: State): Float64Array | Promise<Float64Array>;
  /** @param targets - return of each row, [S] */
  fit(batch: RewardBatch, targets: Float64Array, state: State): State | Promise<State>;
}

/** Everything before an utterance, including hidden information. */
export interface CriticView {
  /** Includes the gold answer and private views. */
  readonly problem: Problem;
  readonly agent: AgentId;
  readonly turn: number;
  /** Empty without a local policy. */
  readonly promptTokens: readonly number[];
  readonly before: readonly Utterance[];
}

export function viewsOf({ problems, episodes, utterances }: RewardBatch): CriticView[] {
  return problems.map((problem, row) => {
    const { agent = "", turn = 0, trace } = utterances[row]?.[0] ?? {};
    const before = (episodes[row]?.utterances ?? []).filter((utterance) => utterance.turn < turn);
    return { problem, agent, turn, promptTokens: trace?.promptTokens ?? [], before };
  });
}
