import type { LanguageModel, Tokenizer, TrainableModel } from "@laconic/core";
import { evaluate, evaluationSampling, livePolicies, sha256Of, learningRateAt, supervised } from "@laconic/trainer";
import type { Evaluation, TrainConfig, TrainingParts } from "@laconic/trainer";
import type { TeamTask } from "../task.ts";
import type { Course } from "./course.ts";

/** A model before its warm start. */
export interface WarmStartPupil {
  readonly model: TrainableModel;
  readonly speaks: LanguageModel;
  readonly tokenizer: Tokenizer;
  readonly task: TeamTask;
}

/**
 * Trains on a course: Adam without decay, cosine learning rate. Returns the last loss.
 * @param watch - `onStep` gets the mean cross-entropy per token in nats; `signal` stops before the next step
 */
export async function giveWarmStart(
  course: Course,
  { steps, batch: size }: { readonly steps: number; readonly batch: number },
  { model, speaks, tokenizer, task }: WarmStartPupil,
  watch: { readonly onStep: (step: number, loss: number) => void | Promise<void>; readonly signal?: AbortSignal },
): Promise<number> {
  const { onStep, signal } = watch;
  const { contextLength } = model;
  const draw = await course.prepare({ model: speaks, tokenizer, most: steps * size, contextLength, task });
  let last = Number.NaN;
  const adam = { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 1 };
  const rate = { peak: course.peakLearningRate, warmUpSteps: course.warmUpSteps ?? 20, finalFraction: 0.05 };
  await supervised(model, {
    steps,
    batch: (step, random) => draw(size, random, step),
    random: course.random,
    optimizerAt: (step) => ({ ...adam, learningRate: learningRateAt({ ...rate, decay: "cosine" }, step, steps) }),
    ...(signal && { signal }),
    async onStep(step, { loss }) {
      last = loss;
      await onStep(step, loss);
    },
  });
  return last;
}

/** Settings of an evaluation before the warm start. */
export interface MeasuredRun {
  readonly task: unknown;
  readonly train: Pick<TrainConfig, "seed" | "sampling" | "limits" | "onAgentError" | "scoring" | "evaluation">;
}

/** Key of a stored evaluation (SHA-256). */
export function beforeWarmStartKey(
  { warmStart, examples }: { readonly warmStart: object; readonly examples?: string },
  { task, train: { seed, sampling, limits, evaluation } }: MeasuredRun,
): string {
  const { problems, language } = evaluation;
  const lessons = { lessons: warmStart, ...(examples !== undefined && { examples }) };
  return sha256Of({ ...lessons, task, seed, sampling, limits, problems, language });
}

/** Evaluates with the run's problems and random streams. */
export async function measureBefore(
  parts: TrainingParts,
  { train }: MeasuredRun,
  references: NonNullable<Parameters<typeof evaluate>[2]["references"]> = {},
): Promise<Evaluation> {
  const { seed, limits, onAgentError: onError, scoring, evaluation } = train;
  const { problems } = evaluation;
  const options = {
    seed,
    step: 0,
    problems,
    sampling: evaluationSampling(train),
    limits,
    onError,
    scoring,
    references,
  };
  return (await evaluate(parts, livePolicies(parts), { ...options, split: "validation" })).evaluation;
}

/** Description: `600 steps of warm start on owners`. */
export function warmStartText({ name, steps }: { readonly name: string; readonly steps: number }): string {
  return `${steps} ${steps === 1 ? "step" : "steps"} of warm start on ${name}`;
}
