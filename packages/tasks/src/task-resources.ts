import type { UnknownRecord } from "@laconic/core";
import type { OpenOptions } from "@laconic/benchmarks";

/** Resources to open a task. */
export interface TaskResources {
  /** 0 opens no data. */
  readonly testProblems: number;
  /** Folder of the tokenizer. */
  readonly modelFolder: string | null;
  /** A server counts tokens. */
  readonly remote?: boolean;
  /** Shown to text teams. */
  readonly targetTokens?: number;
  readonly templateArguments: UnknownRecord;
  /** Folder of benchmark files, and the hub. */
  readonly data: OpenOptions;
  readonly note: (text: string) => void;
  /** Aborts the opening and closes what was opened. */
  readonly signal?: AbortSignal;
}

/** Fills in default resources. */
export function resourcesOf(input: Partial<TaskResources>): TaskResources {
  const note = (): void => undefined;
  return { testProblems: 1000, modelFolder: null, templateArguments: {}, data: { folder: "" }, note, ...input };
}
