import type { LanguageModel, Random, Tokenizer, TrainingSequence } from "@laconic/core";
import type { TaskSettings } from "@laconic/worlds/named";

/** What lessons are made of: the model as it was, what it reads, and how many lessons there will be. */
export interface LessonSource {
  readonly model: LanguageModel;
  readonly tokenizer: Tokenizer;
  readonly most: number;
}

/** Lessons of one kind. */
export interface Course {
  /** The world that the lessons are for. */
  readonly task: TaskSettings;
  readonly peakLearningRate: number;
  /** Asks the model what lessons need, and draws the lessons of a step. */
  prepare(source: LessonSource): Promise<(size: number, random: Random) => readonly TrainingSequence[]>;
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
