import type { Evaluation, Metrics } from "@laconic/trainer";

/** Events of opening and training a run. */
export interface Progress {
  readonly note: (text: string) => void;
  readonly warn: (message: string) => void;
  /** Starts an activity. @returns ends it */
  begin(activity: string): () => void;
  download(name: string): (state: { readonly bytes: number; readonly total: number }) => void;
  /** A request failed and is sent again. */
  retry(attempt: number, reason: string): void;
  /** `loss` is in nats per token. */
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

/** Planned steps of a training, for progress. */
export interface TrainingPlan {
  readonly steps: number;
  readonly problemsPerStep: number;
  readonly episodesPerProblem: number;
  /** Test if the task has no validation problems. */
  readonly split: "validation" | "test";
  readonly problems: number;
  /** Steps between evaluations; 0 evaluates only at the start and the end. */
  readonly evaluateEvery: number;
  readonly isResumed: boolean;
  /** Whether another program plays the episodes. */
  readonly isServed: boolean;
}

/** Progress of a training with the time left. */
export interface TrainingProgress extends Progress {
  opened(plan: TrainingPlan): void;
  started(): void;
  /** @param samplers - short state of the sampling servers; null without any */
  step(metrics: Metrics, samplers: string | null): void;
  evaluation(evaluation: Evaluation): void;
  /** Final evaluation on the test problems. */
  test?(evaluation: Evaluation): void;
  /**
   * Training failed; the run folder is still locked.
   * @param options.isKept - whether the run can resume, because the cause is outside it
   */
  failed(error: unknown, options: { readonly directory: string; readonly isKept: boolean }): Promise<void>;
  ended(): void;
}
