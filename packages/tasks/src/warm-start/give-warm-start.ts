import type { LanguageModel, Tokenizer, TrainableModel } from "@laconic/core";
import type { TeamTask } from "../task.ts";
import { supervised } from "@laconic/trainer";
import type { Course } from "./course.ts";
import type { WarmStartSteps } from "./world-course.ts";

/** A model before its warm start. */
export interface WarmStartPupil {
  readonly model: TrainableModel;
  /** The same weights, asked for texts that examples are made of. */
  readonly speaks: LanguageModel;
  readonly tokenizer: Tokenizer;
  readonly task: TeamTask;
}

/** Who hears of a warm start, and what ends it. */
export interface WarmStartWatch {
  /** Called after each step with the mean cross-entropy per token in nats. */
  readonly onStep: (step: number, loss: number) => void | Promise<void>;
  /** Ends it before the next step. */
  readonly signal?: AbortSignal;
}

/**
 * Teaches a model a course: Adam without decay, a rate that rises and falls by a cosine.
 * @returns the loss of the last step, in nats per token
 * @throws LaconicError `aborted` by the signal, and what drawing the examples throws
 */
export async function giveWarmStart(
  course: Course,
  { steps, batch: size }: Pick<WarmStartSteps, "steps" | "batch">,
  { model, speaks, tokenizer, task }: WarmStartPupil,
  { onStep, signal }: WarmStartWatch,
): Promise<number> {
  const { contextLength } = model;
  const draw = await course.prepare({ model: speaks, tokenizer, most: steps * size, contextLength, task });
  let last = Number.NaN;
  await supervised(model, {
    steps,
    batch: (step, random) => draw(size, random, step),
    random: course.random,
    optimizer: { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 1 },
    learningRate: {
      peak: course.peakLearningRate,
      warmUpSteps: course.warmUpSteps ?? 20,
      decay: "cosine",
      finalFraction: 0.05,
    },
    ...(signal && { signal }),
    async onStep(step, loss) {
      last = loss;
      await onStep(step, loss);
    },
  });
  return last;
}
