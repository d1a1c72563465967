import type { AgentId, ModelResources, Problem, RewardBatch, StoredWeights, Utterance } from "@laconic/core";

/**
 * Says what a state is worth, and learns it. What it knows is its state, plain data that a checkpoint holds, or weights that it names. It
 * may take its time, and then answers with a promise.
 */
export interface Critic<State = unknown> {
  readonly name: string;
  /** What it learns beside its state: a checkpoint keeps it. Absent for none. */
  readonly weights?: StoredWeights;
  /** Gives the critic itself once the run has an engine. Absent for one that is ready. */
  open?(resources: ModelResources): Promise<Critic<State>>;
  init(): State;
  /** What each row is expected to earn from its turn on, by what was known before that turn. [S] */
  values(batch: RewardBatch, state: State): Float64Array | Promise<Float64Array>;
  /** @param targets - what each row came to. [S] */
  fit(batch: RewardBatch, targets: Float64Array, state: State): State | Promise<State>;
}

/** What a critic may look at: all that was before an utterance, whoever could see it. */
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
