import type { LanguageModel, Random, Tokenizer, TrainingSequence } from "@laconic/core";
import storyTexts from "../../assets/story-texts.json" with { type: "json" };
import { splitOf, things, trainedName } from "../stories/lexicon.ts";
import { continuations } from "./course.ts";

/** Training on its own continuations preserves the model's language. */
const beginnings: readonly string[] = storyTexts.rehearsals;

/** Texts of the initial model, to train on. */
export async function rehearsal(
  model: LanguageModel,
  most: number,
  random: Random,
  more: readonly string[],
): Promise<TrainingSequence[]> {
  const general = Array.from({ length: Math.min(400, most) }, (_, i) => beginnings[i % beginnings.length] as string);
  const texts = await continuations(model, [...general, ...more.slice(0, most)], 24, random);
  return texts.filter(({ completionTokens }) => completionTokens.length > 0);
}

/** Shorter deeds cause fewer solver errors. */
const deedWords = 3;

/** Used if the model has no short clauses. */
const plainDeeds: readonly string[] = storyTexts.deeds;

/** What children do in the model's own stories. */
export async function deedsOf(
  model: LanguageModel,
  tokenizer: Tokenizer,
  most: number,
  random: Random,
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
  const deeds = shortClauses(replies);
  return deeds.length > 0 ? deeds : plainDeeds;
}

/** Stories up to a name. */
export function namedStories(count: number, random: Random): string[] {
  return Array.from({ length: count }, (_, i) => namedStory(random.split(i)));
}

function namedStory(random: Random): string {
  for (;;) {
    const [name, thing] = [trainedName(random, { names: 40 }), random.pick(things)];
    if (splitOf({ name, thing }) === "train")
      return `Once upon a time, there was a child named ${name}. ${name} had a ${thing}. One day, ${name}`;
  }
}

/** Distinct short clauses. */
export function shortClauses(replies: readonly string[]): string[] {
  const clauses = replies.filter((text) => /^ [a-z]/u.test(text) && !/[A-Z",]/u.test(text)).map((text) => text.trim());
  return [...new Set(clauses.filter((text) => text.split(" ").length <= deedWords))];
}
