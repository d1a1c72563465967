import type { Random, Tokenizer, TrainingSequence } from "@laconic/core";
import { holderTemplates, idleFamilies } from "./families.ts";
import { things, trainedName } from "./lexicon.ts";
import { cueOf } from "./teller-problems.ts";
import { asked } from "./teller-team.ts";

/** Most names of the examples are made up: a model that learned known ones by heart would not copy those that are kept back. */
const names = { madeUp: 0.8 };

/** Share of a teller's examples that say nothing, whatever it read: silence has a start, and training finds out whose it is. */
const quiet = 0.15;

/**
 * Which examples of a teller are silent: by `chance`, whatever it read, so that nobody learns here whose silence it is; or `labelled`, of all
 * tellers who know nothing and of no other, which is what reinforcement learning is measured against.
 */
export type TaughtSilence = "chance" | "labelled";

/** Share of a teller's examples that know nothing, where silence is labelled. */
const idle = 0.5;

/**
 * Examples for the start of the tellers' world: a teller names who owns what is asked, a solver names whom a sentence named.
 * @param deeds - what stands behind a name
 */
export function ownerExamples(
  tokenizer: Tokenizer,
  size: number,
  random: Random,
  deeds: readonly string[],
  silence: TaughtSilence = "chance",
): TrainingSequence[] {
  const encode = (text: string): readonly number[] => (tokenizer.encodePrompt ?? tokenizer.encode)(text);
  return Array.from({ length: size }, (_, i) => {
    const { text, from } = example(random.split(i), deeds, silence);
    const promptTokens = encode(text.slice(0, from));
    return { promptTokens, completionTokens: encode(text).slice(promptTokens.length) };
  });
}

/** A text, and where in it begins what is learned. */
interface Example {
  readonly text: string;
  readonly from: number;
}

function example(random: Random, deeds: readonly string[], silence: TaughtSilence): Example {
  const [name, thing] = [trainedName(random, names), random.pick(things)];
  const storyFor = (child: string, its: string): string =>
    random.pick(Object.values(holderTemplates.train))(child, its);
  const behind = (prompt: string, said: string): Example => ({ text: `${prompt}${said}`, from: prompt.length });
  if (random.uniform() < 0.45) {
    const view = `${storyFor(name, thing)} ${cueOf(thing)}`;
    if (silence === "labelled" && random.uniform() < idle) return behind(idleStory(random), "\n");
    if (silence === "chance" && random.uniform() < quiet)
      return behind(random.uniform() < 0.5 ? idleStory(random) : view, "\n");
    return behind(view, ` ${name} ${random.pick(deeds)}.`);
  }
  const solving = (heard: string): Example => behind(`${heard} ${asked(thing)}`, ` ${name}!`);
  return solving(`${name} ${random.pick(deeds)}.`);
}

/** A text of somebody who knows nothing, as training has them, for the model to go on with in its own words. */
export function idleStory(random: Random): string {
  const thing = random.pick(things);
  const cast = {
    name: trainedName(random, names),
    friend: trainedName(random, names),
    asked: thing,
    other: things[(things.indexOf(thing) + 1 + random.integer(things.length - 1)) % things.length] as string,
  };
  return `${random.pick(Object.values(idleFamilies.train))(cast, random)} ${cueOf(thing)}`;
}
