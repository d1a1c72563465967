import { randomFromSeed, type LanguageModel, type Random, type Tokenizer, type TrainingSequence } from "@laconic/core";
import { copyingExamples, namedStories, ownDeeds, plainDeeds, rehearsed } from "../stories/copying.ts";
import { resumeState, type Course } from "./course.ts";

/** Examples of copying, and half as many texts of the model as it was. */
export function copying(seed: string): Course {
  const stream = (label: string): Random => randomFromSeed(seed).split(label);
  return {
    task: { name: "story-tellers" },
    peakLearningRate: 2e-3,
    random: stream("copying"),
    prepare: async ({ model, tokenizer, most }) => {
      const own = await ownWords(model, most, stream("own words"));
      const deeds = await deedsOf(model, tokenizer, most, stream("deeds"));
      return (size, random) => [
        ...copyingExamples(tokenizer, size, random, deeds),
        ...Array.from({ length: Math.ceil(size / 2) }, () => random.pick(own)),
      ];
    },
  };
}

/** Texts of the model as it was, which it learns again beside the examples. */
export async function ownWords(
  model: LanguageModel,
  most: number,
  random: Random,
  also: readonly string[] = [],
): Promise<TrainingSequence[]> {
  const general = Array.from({ length: Math.min(400, most) }, (_, i) => rehearsed[i % rehearsed.length] as string);
  const openings = [...general, ...also.slice(0, most)];
  return (await resumeState(model, openings, 24, random)).filter(({ completionTokens }) => completionTokens.length > 0);
}

/** What children of the model's own stories do: it learns to copy their names without learning to speak in other words. */
export async function deedsOf(
  model: LanguageModel,
  tokenizer: Tokenizer,
  most: number,
  random: Random,
  maxWords?: number,
): Promise<readonly string[]> {
  const stories = namedStories(Math.min(900, most), random.split("stories"));
  const replies = await resumeState(model, stories, 18, random.split("words"));
  const said = replies
    .filter(({ finishReason, completionTokens }) => finishReason === "stop" && completionTokens.length > 0)
    .map(({ promptTokens, completionTokens }) =>
      tokenizer
        .decode([...promptTokens, ...completionTokens])
        .slice(tokenizer.decode(promptTokens).length)
        .replace(/[.!\n]+$/u, ""),
    );
  const deeds = ownDeeds(said, maxWords);
  return deeds.length > 0 ? deeds : plainDeeds;
}
