import type { LanguageModel, Random, Tokenizer, TrainingSequence } from "@laconic/core";
import type { TaskSettings } from "../named/index.ts";
import type { TeamTask } from "../task.ts";

/** What examples are made of: the model before the warm start, its tokenizer, and how many examples there will be. */
export interface ExampleSource {
  readonly model: LanguageModel;
  readonly tokenizer: Tokenizer;
  readonly most: number;
  readonly contextLength: number;
  readonly task: TeamTask;
}

/** Examples of one kind. */
export interface Course {
  /** The world that the examples are for; absent for the run's own examples. */
  readonly task?: TaskSettings;
  readonly peakLearningRate: number;
  /** Warm-up steps of the learning rate. Default 20. */
  readonly warmUpSteps?: number;
  /** Asks the model for texts that examples need, and returns how a step's examples are drawn. */
  prepare(source: ExampleSource): Promise<(size: number, random: Random, step: number) => readonly TrainingSequence[]>;
  /** The stream of its steps. */
  readonly random: Random;
}

export function exampleOf(tokenizer: Tokenizer, text: string, start: number): TrainingSequence {
  const promptTokens = encode(tokenizer, text.slice(0, start));
  return { promptTokens, completionTokens: encode(tokenizer, text).slice(promptTokens.length) };
}

export function encode(tokenizer: Tokenizer, text: string): readonly number[] {
  return (tokenizer.encodePrompt ?? tokenizer.encode)(text);
}

/** A model's continuation of a text, up to the end of a sentence. */
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
