import type { OpenOptions } from "@laconic/benchmarks";

/** Resources to open a task. */
export interface TaskResources {
  /** Max test problems; 0 opens no data. */
  readonly testProblems: number;
  /** Folder of the tokenizer. */
  readonly modelFolder: string | null;
  /** A server counts tokens; no tokenizer is opened. */
  readonly remote?: boolean;
  /** Token budget per episode, shown to text teams. */
  readonly targetTokens?: number;
  readonly templateArguments: Readonly<Record<string, unknown>>;
  /** Folder of benchmark files, and the hub. */
  readonly data: OpenOptions;
  readonly note: (text: string) => void;
  /** Aborts the opening and closes what was opened; no effect later. */
  readonly signal?: AbortSignal;
}

/** Fills in default resources. */
export function resourcesOf(given: Partial<TaskResources>): TaskResources {
  const note = (): void => undefined;
  return { testProblems: 1000, modelFolder: null, templateArguments: {}, data: { folder: "" }, note, ...given };
}
