import { randomFromSeed, type Random, type Tokenizer, type TrainingSequence, type LanguageModel } from "@laconic/core";
import storyTexts from "../../assets/story-texts.json" with { type: "json" };
import { holderTemplates, idleFamilies } from "../stories/families.ts";
import { things, trainedName, splitOf } from "../stories/lexicon.ts";
import { cueOf } from "../stories/teller-problems.ts";
import { asked } from "../stories/teller-team.ts";
import { exampleOf, continuations, type Course, type WarmStartSteps } from "./course.ts";

/** `chance`: for any view; `labelled`: for all uninformed tellers. */
type TaughtSilence = "chance" | "labelled";

/** Warm start of the story tellers: naming owners. */
export interface OwnersWarmStart extends WarmStartSteps {
  readonly name: "owners";
  /** Silent examples. Default `chance`. */
  readonly silence?: TaughtSilence;
}

/** Naming owners, plus a quarter as many rehearsal texts. */
export function ownersCourse({ seed, silence = "chance" }: Pick<OwnersWarmStart, "seed" | "silence">): Course {
  const stream = (label: string): Random => randomFromSeed(seed).split(label);
  return {
    task: { name: "story-tellers" },
    peakLearningRate: 4e-3,
    random: stream("owners"),
    prepare: async ({ model, tokenizer, most }) => {
      const idle = stream("idle");
      const stories = Array.from({ length: 300 }, (_, i) => idleStory(idle.split(i)));
      const rehearsed = await rehearsal(model, most, stream("own words"), stories);
      const deeds = await deedsOf(model, tokenizer, most, stream("deeds"));
      return (size, random) => [
        ...ownerExamples(tokenizer, size, random, deeds, silence),
        ...Array.from({ length: Math.ceil(size / 4) }, () => random.pick(rehearsed)),
      ];
    },
  };
}

/** Prevents memorising known names. */
const names = { madeUp: 0.8 };
/** Lets training discover silence. */
const silentShare = 0.15;
/** Used if silence is labelled. */
const idleShare = 0.5;

export function ownerExamples(
  tokenizer: Tokenizer,
  size: number,
  random: Random,
  deeds: readonly string[],
  silence: TaughtSilence = "chance",
): TrainingSequence[] {
  return Array.from({ length: size }, (_, i) => {
    const [prompt, reply] = ownerExample(random.split(i), deeds, silence);
    return exampleOf(tokenizer, `${prompt}${reply}`, prompt.length);
  });
}

function ownerExample(
  random: Random,
  deeds: readonly string[],
  silence: TaughtSilence,
): readonly [prompt: string, reply: string] {
  const [name, thing] = [trainedName(random, names), random.pick(things)];
  if (random.uniform() >= 0.45) return [`${name} ${random.pick(deeds)}. ${asked(thing)}`, ` ${name}!`];
  const view = `${random.pick(Object.values(holderTemplates.train))(name, thing)} ${cueOf(thing)}`;
  if (silence === "labelled" && random.uniform() < idleShare) return [idleStory(random), "\n"];
  if (silence === "chance" && random.uniform() < silentShare)
    return [random.uniform() < 0.5 ? idleStory(random) : view, "\n"];
  return [view, ` ${name} ${random.pick(deeds)}.`];
}

function idleStory(random: Random): string {
  const thing = random.pick(things);
  const cast = {
    name: trainedName(random, names),
    friend: trainedName(random, names),
    asked: thing,
    other: things[(things.indexOf(thing) + 1 + random.integer(things.length - 1)) % things.length]!,
  };
  return `${random.pick(Object.values(idleFamilies.train))(cast, random)} ${cueOf(thing)}`;
}

/** Training on its own continuations preserves the model's language. */
const beginnings: readonly string[] = storyTexts.rehearsals;

async function rehearsal(
  model: LanguageModel,
  most: number,
  random: Random,
  more: readonly string[],
): Promise<TrainingSequence[]> {
  const general = Array.from({ length: Math.min(400, most) }, (_, i) => beginnings[i % beginnings.length]!);
  const texts = await continuations(model, [...general, ...more.slice(0, most)], 24, random);
  return texts.filter(({ completionTokens }) => completionTokens.length > 0);
}

/** Shorter deeds cause fewer solver errors. */
const deedWords = 3;

/** Used if the model has no short clauses. */
const plainDeeds: readonly string[] = storyTexts.deeds;

async function deedsOf(
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

export function shortClauses(replies: readonly string[]): string[] {
  const clauses = replies.filter((text) => /^ [a-z]/u.test(text) && !/[A-Z",]/u.test(text)).map((text) => text.trim());
  return [...new Set(clauses.filter((text) => text.split(" ").length <= deedWords))];
}
