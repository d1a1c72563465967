import {
  evaluate,
  livePolicies,
  sha256Of,
  type Evaluation,
  type TrainConfig,
  type TrainingParts,
} from "@laconic/trainer";

/** What of a run the figures of the model before its warm start depend on. */
export interface MeasuredRun {
  readonly task: unknown;
  readonly train: Pick<TrainConfig, "seed" | "sampling" | "limits" | "onAgentError" | "scoring" | "evaluation">;
}

/** Tells whether kept figures are of the same run: SHA-256 of the settings that they depend on. */
export function beforeWarmStartKey(
  { warmStart, examples }: { readonly warmStart: object; readonly examples?: string },
  { task, train: { seed, sampling, limits, evaluation } }: MeasuredRun,
): string {
  const { problems, language } = evaluation;
  return sha256Of({
    lessons: warmStart,
    ...(examples !== undefined && { examples }),
    task,
    seed,
    sampling,
    limits,
    problems,
    language,
  });
}

/**
 * The team of the model as it was before its warm start, on the problems, and with the random streams, of the run's own evaluations.
 * @param references - the policies of the beginning, by name, where language is measured under them
 */
export async function measureBefore(
  parts: TrainingParts,
  { train }: MeasuredRun,
  references: NonNullable<Parameters<typeof evaluate>[2]["references"]> = {},
): Promise<Evaluation> {
  const { seed, sampling, limits, onAgentError: onError, scoring, evaluation } = train;
  const { problems } = evaluation;
  const options = {
    seed,
    step: 0,
    split: "validation",
    problems,
    sampling,
    limits,
    onError,
    scoring,
    references,
  } as const;
  return (await evaluate(parts, livePolicies(parts), options)).evaluation;
}

/** In a few words: `400 steps of warm start on copying`. */
export function warmStartText({ name, steps }: { readonly name: string; readonly steps: number }): string {
  return `${steps} ${steps === 1 ? "step" : "steps"} of warm start on ${name}`;
}
