import type { OpenOptions } from "@laconic/benchmarks";

/** What opening a task takes beside its settings. */
export interface TaskResources {
  /** Test problems at most; 0 opens no data, for those who want agents and tokenizer alone. */
  readonly testProblems: number;
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

/** Resources with the defaults of those that are not given. */
export function resourcesOf(given: Partial<TaskResources>): TaskResources {
  const note = (): void => undefined;
  return { testProblems: 1000, modelFolder: null, templateArguments: {}, data: { folder: "" }, note, ...given };
}
