import type { LanguageModel, Random, Tokenizer, TrainingSequence } from "@laconic/core";
import type { TaskSettings } from "../named/index.ts";
import type { TeamTask } from "../task.ts";

/** Steps of a supervised warm start. */
export interface WarmStartSteps {
  readonly steps: number;
  readonly batch: number;
  /** Default: the run's. */
  readonly seed: string;
  /** Filled in by the run. */
  readonly model?: string;
}

/** Input of a course. */
export interface ExampleSource {
  readonly model: LanguageModel;
  readonly tokenizer: Tokenizer;
  readonly most: number;
  readonly contextLength: number;
  readonly task: TeamTask;
}

/** Examples of one kind. */
export interface Course {
  readonly task?: TaskSettings;
  readonly peakLearningRate: number;
  /** Warm-up of the learning rate. Default 20. */
  readonly warmUpSteps?: number;
  /** Samples texts; returns a function that draws a step's examples. */
  prepare(source: ExampleSource): Promise<(size: number, random: Random, step: number) => readonly TrainingSequence[]>;
  readonly random: Random;
}

export function exampleOf(tokenizer: Tokenizer, text: string, start: number): TrainingSequence {
  const promptTokens = encode(tokenizer, text.slice(0, start));
  return { promptTokens, completionTokens: encode(tokenizer, text).slice(promptTokens.length) };
}

function encode(tokenizer: Tokenizer, text: string): readonly number[] {
  return (tokenizer.encodePrompt ?? tokenizer.encode)(text);
}

export interface Continuation extends TrainingSequence {
  readonly finishReason: string;
}

export function continuations(
  model: LanguageModel,
  texts: readonly string[],
  maxTokens: number,
  random: Random,
): Promise<Continuation[]> {
  return Promise.all(
    texts.map(async (text, i) => {
      const { trace, finishReason } = await model.complete({
        prompt: { kind: "text", text },
        sampling: { temperature: 1, maxTokens, stop: [".", "!", "\n"] },
        random: random.split(i).state(),
      });
      return { promptTokens: trace?.promptTokens ?? [], completionTokens: trace?.tokens ?? [], finishReason };
    }),
  );
}
