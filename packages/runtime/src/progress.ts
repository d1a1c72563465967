import type { Evaluation, Metrics } from "@laconic/trainer";

/** What opening and training a run says while it goes on. Whoever calls decides how it is shown. */
export interface Progress {
  note(text: string): void;
  warn(message: string): void;
  /**
   * Work that may take a while has begun.
   * @returns ends it
   */
  begin(activity: string): () => void;
  /** The bytes of a download, again and again. */
  download(name: string): (state: { readonly bytes: number; readonly total: number }) => void;
  /** A request failed and is sent again. */
  retry(attempt: number, reason: string): void;
  /** A step of a supervised warm start is over; its loss is in nats per token. */
  warmStartStep(state: { readonly step: number; readonly steps: number; readonly loss: number }): void;
}

export async function during<T>(progress: Progress, activity: string, work: () => Promise<T>): Promise<T> {
  const done = progress.begin(activity);
  try {
    return await work();
  } finally {
    done();
  }
}

export interface TrainingPlan {
  readonly steps: number;
  readonly problemsPerStep: number;
  readonly episodesPerProblem: number;
  /** What evaluations are of: the test, where a task has no validation problems. */
  readonly split: "validation" | "test";
  readonly problems: number;
  /** Steps from one evaluation to the next; 0 evaluates at both ends alone. */
  readonly evaluateEvery: number;
  readonly isResumed: boolean;
  /** Whether another program plays the episodes. */
  readonly isServed: boolean;
}

/** What is heard of a run from its check to its end. */
export interface TrainingProgress extends Progress {
  opened(plan: TrainingPlan): void;
  started(): void;
  /** @param samplers - how the sampling servers are, in short; null where there are none */
  step(metrics: Metrics, samplers: string | null): void;
  evaluation(evaluation: Evaluation): void;
  /** The test problems, at the end. */
  test?(evaluation: Evaluation): void;
  /**
   * Training ended by an error, and its directory is still held.
   * @param options.isKept - whether what broke lies outside of the run, which goes on from its last checkpoint
   */
  failed(error: unknown, options: { readonly directory: string; readonly isKept: boolean }): Promise<void>;
  /** Nothing more is heard of steps and evaluations. */
  ended(): void;
}
