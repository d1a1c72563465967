import type { ChatTokenizer, Tokenizer, Topology } from "@laconic/core";
import type { OpenOptions } from "@laconic/benchmarks";
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

/** What opening a task takes beside its settings. */
export interface TaskResources {
  /** Held-out problems at most; 0 opens no data, for those who want agents and tokenizer alone. */
  readonly heldOut: number;
  /** Of the run's model: its tokenizer reads a benchmark's chats. */
  readonly modelFolder: string | null;
  /** Models are a server's, which reads chats and counts tokens: no tokenizer is opened. */
  readonly remote?: boolean;
  /** The run's token budget per episode, which the views of a text team's agents then have. */
  readonly targetTokens?: number;
  /** What its chat template is told. */
  readonly templateArguments: Readonly<Record<string, unknown>>;
  /** Where benchmark files are, and the hub to fetch them from. */
  readonly data: OpenOptions;
  readonly note: (text: string) => void;
  /** Ends the opening; what was opened is closed. Later it does nothing. */
  readonly signal?: AbortSignal;
}
