import type { Evaluation, Metrics } from "@laconic/trainer";

/** Events of opening and training a run; the caller decides how to show them. */
export interface Progress {
  note(text: string): void;
  warn(message: string): void;
  /** Starts an activity that may take a while. @returns ends it */
  begin(activity: string): () => void;
  /** Reports the bytes of a download. */
  download(name: string): (state: { readonly bytes: number; readonly total: number }) => void;
  /** A request failed and is sent again. */
  retry(attempt: number, reason: string): void;
  /** A warm-start step ended. `loss` is in nats per token. */
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
  /** Split of the evaluations: the test if the task has no validation problems. */
  readonly split: "validation" | "test";
  readonly problems: number;
  /** Steps between evaluations; 0 evaluates only at the start and the end. */
  readonly evaluateEvery: number;
  readonly isResumed: boolean;
  /** Whether another program plays the episodes. */
  readonly isServed: boolean;
}

/** Events of a run from its check to its end. */
export interface TrainingProgress extends Progress {
  opened(plan: TrainingPlan): void;
  started(): void;
  /** @param samplers - short state of the sampling servers; null without servers */
  step(metrics: Metrics, samplers: string | null): void;
  evaluation(evaluation: Evaluation): void;
  /** Final evaluation on the test problems. */
  test?(evaluation: Evaluation): void;
  /**
   * Training failed; the run folder is still locked.
   * @param options.isKept - whether the cause is outside the run, so that it can resume from its last checkpoint
   */
  failed(error: unknown, options: { readonly directory: string; readonly isKept: boolean }): Promise<void>;
  /** No more steps and evaluations follow. */
  ended(): void;
}
