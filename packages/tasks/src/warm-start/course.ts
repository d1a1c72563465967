import type { LanguageModel, Random, Tokenizer, TrainingSequence } from "@laconic/core";
import type { TeamTask } from "../task.ts";
import type { TaskSettings } from "../named/named-tasks.ts";

/** What examples are made of: the model as it was, what it reads, and how many there will be. */
export interface ExampleSource {
  readonly model: LanguageModel;
  readonly tokenizer: Tokenizer;
  readonly most: number;
  readonly contextLength: number;
  readonly task: TeamTask;
}

/** Examples of one kind. */
export interface Course {
  /** The world that the examples are for; absent where they are the run's own. */
  readonly task?: TaskSettings;
  readonly peakLearningRate: number;
  /** Of the learning rate; 20 when absent. */
  readonly warmUpSteps?: number;
  /** Asks the model what examples need, and draws those of a step. */
  prepare(source: ExampleSource): Promise<(size: number, random: Random, step: number) => readonly TrainingSequence[]>;
  /** The stream of its steps. */
  readonly random: Random;
}

/** What the model as it was says behind a text, up to the end of a sentence. */
export interface GoneOn {
  readonly promptTokens: readonly number[];
  readonly completionTokens: readonly number[];
  readonly finishReason: string;
}

/** What the model says behind each text, in their order. */
export function resumeState(
  model: LanguageModel,
  texts: readonly string[],
  maxTokens: number,
  random: Random,
): Promise<GoneOn[]> {
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
