import { randomFromSeed, type LanguageModel, type Random, type Tokenizer, type TrainingSequence } from "@laconic/core";
import storyTexts from "../../assets/story-texts.json" with { type: "json" };
import { drawChild } from "../stories/lexicon.ts";
import { asked, knownStory } from "../stories/teller-team.ts";
import { continuations, exampleOf, type Course } from "./course.ts";

/** Copying, plus half as many rehearsal texts. */
export function copying(seed: string): Course {
  const stream = (label: string): Random => randomFromSeed(seed).split(label);
  return {
    task: { name: "story-tellers" },
    peakLearningRate: 2e-3,
    random: stream("copying"),
    prepare: async ({ model, tokenizer, most }) => {
      const rehearsed = await rehearsal(model, most, stream("own words"));
      const deeds = await deedsOf(model, tokenizer, most, stream("deeds"));
      return (size, random) => [
        ...copyingExamples(tokenizer, size, random, deeds),
        ...Array.from({ length: Math.ceil(size / 2) }, () => random.pick(rehearsed)),
      ];
    },
  };
}

/** Default deeds. */
const plainDeeds: readonly string[] = storyTexts.deeds;

/**
 * Half informed tellers, half solvers; held-out names are excluded. Texts after names, `deeds`, preserve the model's
 * language.
 */
export function copyingExamples(
  tokenizer: Tokenizer,
  size: number,
  random: Random,
  deeds: readonly string[] = plainDeeds,
): TrainingSequence[] {
  return Array.from({ length: size }, (_, i) => {
    const stream = random.split(i);
    const child = drawChild(stream, "train", "test", { madeUp: 0.8 });
    const deed = `${child.name} ${stream.pick(deeds)}.`;
    const [prompt, reply] =
      stream.uniform() < 0.5
        ? [knownStory(child, "One day,"), deed]
        : [`${deed} ${asked(child.thing)}`, `${child.name}!`];
    return exampleOf(tokenizer, `${prompt} ${reply}`, prompt.length);
  });
}

/** Training on its own continuations preserves the model's language. */
const beginnings: readonly string[] = storyTexts.rehearsals;

/** Texts of the initial model, to train on. */
export async function rehearsal(
  model: LanguageModel,
  most: number,
  random: Random,
  more: readonly string[] = [],
): Promise<TrainingSequence[]> {
  const general = Array.from({ length: Math.min(400, most) }, (_, i) => beginnings[i % beginnings.length] as string);
  const texts = await continuations(model, [...general, ...more.slice(0, most)], 24, random);
  return texts.filter(({ completionTokens }) => completionTokens.length > 0);
}

/** Shorter deeds cause fewer solver errors. */
const deedWords = 5;

/** Deeds from the model's own stories. */
export async function deedsOf(
  model: LanguageModel,
  tokenizer: Tokenizer,
  most: number,
  random: Random,
  maxWords: number = deedWords,
): Promise<readonly string[]> {
  const stories = namedStories(Math.min(900, most), random.split("stories"));
  const replies = (await continuations(model, stories, 18, random.split("words")))
    .filter(({ finishReason, completionTokens }) => finishReason === "stop" && completionTokens.length > 0)
    .map(({ promptTokens, completionTokens }) =>
      tokenizer
        .decode([...promptTokens, ...completionTokens])
        .slice(tokenizer.decode(promptTokens).length)
        .replace(/[.!\n]+$/u, ""),
    );
  const deeds = shortClauses(replies, maxWords);
  return deeds.length > 0 ? deeds : plainDeeds;
}

/** Stories up to a name. */
export function namedStories(count: number, random: Random): string[] {
  return Array.from({ length: count }, (_, i) => {
    const child = drawChild(random.split(i), "train", "test", { names: 40 });
    return `${knownStory(child, "One day,")} ${child.name}`;
  });
}

/** Distinct short clauses. */
export function shortClauses(replies: readonly string[], maxWords: number = deedWords): string[] {
  const clauses = replies.filter((text) => /^ [a-z]/u.test(text) && !/[A-Z",]/u.test(text)).map((text) => text.trim());
  return [...new Set(clauses.filter((text) => text.split(" ").length <= maxWords))];
}
