import { randomFromSeed } from "@laconic/core";
import { exampleStream, supervisedDefaults } from "@laconic/trainer";
import type { Course } from "@laconic/tasks/warm-start";
import { openExamples } from "../../resolver/open-train.ts";
import { policiesOf } from "../open-parts.ts";
import type { AppConfig, ExamplesWarmStart } from "../run-settings.ts";

/** Examples of one's own, each once before any comes again. */
export function ownExamples(warmStart: ExamplesWarmStart, run: Pick<AppConfig, "policies">): Course {
  const { examples, seed, learningRate, steps } = warmStart;
  return {
    peakLearningRate: learningRate,
    warmUpSteps: Math.ceil(steps / 10),
    random: randomFromSeed(seed).split("examples"),
    prepare: async ({ tokenizer, contextLength, task }) => {
      const stream = exampleStream(await openExamples(examples), {
        settings: { ...supervisedDefaults, ...warmStart },
        tokenizer,
        contextLength,
        task,
        learners: policiesOf(run, task),
        policy: null,
        random: randomFromSeed(seed).split("order"),
      });
      return (size, _, step) => stream.take(step * size, size);
    },
  };
}
