import type { ChatTokenizer, Tokenizer, Topology } from "@laconic/core";
import type { TrainingTask } from "@laconic/trainer";

/** A task as a run opens it: what the trainer needs, the tokenizer of its prompts, and who learns. */
export interface TeamTask extends TrainingTask {
  readonly tokenizer: Tokenizer | ChatTokenizer;
  /** All agents when absent; the others do not learn. */
  readonly trainedAgents?: readonly string[];
  /**
   * How the same work is done by agents that have not learned to do it together, by name: the paper's baselines. They answer as the
   * team does, so that the task's reward judges them.
   */
  readonly baselines?: Readonly<Record<string, Topology>>;
  /** Of agents that do not learn, where their method sets one; all others speak at 0, as AgentPO's actor. */
  readonly frozenTemperatures?: Readonly<Record<string, number>>;
  close?(): Promise<void>;
}
