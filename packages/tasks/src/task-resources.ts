import type { UnknownRecord } from "@laconic/core";
import type { OpenOptions } from "@laconic/benchmarks";

/** Resources to open a task. */
export interface TaskResources {
  /** 0 opens no data. */
  readonly testProblems: number;
  readonly modelFolder: string | null;
  /** A server counts tokens. */
  readonly remote?: boolean;
  readonly targetTokens?: number;
  readonly templateArguments: UnknownRecord;
  readonly data: OpenOptions;
  readonly note: (text: string) => void;
  /** Aborts the opening and closes what was opened. */
  readonly signal?: AbortSignal;
}

export function resourcesOf(input: Partial<TaskResources>): TaskResources {
  const note = (): void => undefined;
  return { testProblems: 1000, modelFolder: null, templateArguments: {}, data: { folder: "" }, note, ...input };
}
