import type { Random, Tokenizer, TrainingSequence } from "@laconic/core";
import { drawChild } from "./lexicon.ts";
import { asked, knownStory } from "./teller-team.ts";

/** Most names of the examples are made up: a model that learned known ones by heart would not copy those that are kept back. */
const madeUp = 0.8;

/** What stands behind a name in the words that a teller learns to say and a solver hears, where a model has none of its own. */
export const plainDeeds: readonly string[] = [
  "was very happy",
  "loved to play",
  "went to the park",
  "saw a big dog",
  "wanted to play outside",
  "smiled",
  "was sad",
  "ran to the tree",
  "had a nice day",
  "wanted to go home",
  "was playing in the park",
  "found a small box",
];

/**
 * Examples of copying a name, for the start of the worlds of tellers: half from the story that a teller knows, half from a sentence
 * that a solver hears. Small story models spell a name by its first letters and then go on with another; what they
 * lack is copying, not the team's work. No name that is kept back is in them.
 * @param deeds - what stands behind the names; the model's own words (`ownDeeds`) keep its language
 */
export function copyingExamples(
  tokenizer: Tokenizer,
  size: number,
  random: Random,
  deeds: readonly string[] = plainDeeds,
): TrainingSequence[] {
  return Array.from({ length: size }, (_, i) => {
    const own = random.split(i);
    const child = drawChild(own, "train", "test", { madeUp });
    const deed = `${child.name} ${own.pick(deeds)}.`;
    const [prompt, said] =
      own.uniform() < 0.5 ? [knownStory(child, "One day,"), deed] : [`${deed} ${asked(child.thing)}`, `${child.name}!`];
    const encode = (text: string): readonly number[] => (tokenizer.encodePrompt ?? tokenizer.encode)(text);
    const promptTokens = encode(prompt);
    return { promptTokens, completionTokens: encode(`${prompt} ${said}`).slice(promptTokens.length) };
  });
}

/** What a story model goes on from in its own words: learned again with the examples, so that it keeps its language. */
export const rehearsed: readonly string[] = [
  "The sun was bright. The end.",
  "Once upon a time,",
  "One day,",
  "She was very happy.",
  "He ran to the park.",
  "They played all day.",
  "The dog was big.",
  "Mom smiled and said,",
  "The little bird",
  "It was a sunny day.",
];

/** Stories up to a name, for a model to go on with: what it says of the child are the deeds of its examples. */
export function namedStories(count: number, random: Random): string[] {
  return Array.from({ length: count }, (_, i) => {
    const child = drawChild(random.split(i), "train", "test", { names: 40 });
    return `${knownStory(child, "One day,")} ${child.name}`;
  });
}

/** Most words of a deed: what is said behind a name says nothing of it, and a solver that hears less of it errs less. */
const deedWords = 5;

/** Of what a model said behind a name, each short clause about nobody else, once. */
export function ownDeeds(said: readonly string[], maxWords: number = deedWords): string[] {
  const clauses = said.filter((text) => /^ [a-z]/u.test(text) && !/[A-Z",]/u.test(text)).map((text) => text.trim());
  return [...new Set(clauses.filter((text) => text.split(" ").length <= maxWords))];
}
