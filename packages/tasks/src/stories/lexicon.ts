import { randomFromSeed, type Random } from "@laconic/core";
import words from "../../assets/story-words.json" with { type: "json" };

const wordsIn = (text: string): readonly string[] => text.split(" ");

/** Training names of one to four tokens. */
export const knownNames: readonly string[] = wordsIn(words.knownNames);

/** Tokens of the smallest story model. */
export type NameLength = "1-2" | "3-4" | "5-up";

/** Length classes, shortest first. */
export const nameLengths: readonly NameLength[] = ["1-2", "3-4", "5-up"];

/** `validation` chooses settings, `test` is one final measurement. */
export type HeldSplit = "validation" | "test";

type NamesByLength = Readonly<Record<NameLength, readonly string[]>>;

const byLength = (names: Readonly<Record<NameLength, string>>): NamesByLength => ({
  "1-2": wordsIn(names["1-2"]),
  "3-4": wordsIn(names["3-4"]),
  "5-up": wordsIn(names["5-up"]),
});

/** Names unique to their split, by token count. */
export const heldNames: Readonly<Record<HeldSplit, NamesByLength>> = {
  validation: byLength(words.heldNames.validation),
  test: byLength(words.heldNames.test),
};

export const unseenNames: readonly string[] = Object.values(heldNames).flatMap((names) => Object.values(names).flat());

/** Things of training stories. */
export const things: readonly string[] = words.things;

export const heldThings: Readonly<Record<HeldSplit, readonly string[]>> = words.heldThings;

export interface Child {
  readonly name: string;
  readonly thing: string;
}

export interface NameChoice {
  /** Uses the first known names. Default: all. */
  readonly names?: number;
  /** Share of made-up names, to prevent a code for known names. Default 0. */
  readonly madeUp?: number;
}

/** Six of eight pairs are for training. */
export function splitOf({ name, thing }: Child): "train" | HeldSplit {
  const part = randomFromSeed(`stories ${name}/${thing}`).integer(8);
  return part === 0 ? "test" : part === 1 ? "validation" : "train";
}

export function trainedName(random: Random, { names = knownNames.length, madeUp = 0 }: NameChoice): string {
  if (madeUp > 0 && random.uniform() < madeUp) {
    for (;;) {
      const name = madeUpName(random);
      if (!knownNames.includes(name) && !unseenNames.includes(name)) return name;
    }
  }
  return random.pick(knownNames.slice(0, names));
}

/** Varied lengths, so that more than one shape is copied. */
function madeUpName(random: Random): string {
  const draw = (kind: keyof typeof words.syllables): string => random.pick(wordsIn(words.syllables[kind]));
  const [shape, size] = [random.uniform(), random.uniform()];
  const opening = shape < 0.12 ? "" : draw(shape < 0.6 ? "consonants" : "openings");
  const syllables = size < 0.3 ? 0 : size < 0.6 ? 1 : size < 0.88 ? 2 : 3;
  const inner = Array.from({ length: syllables }, () => `${draw("middles")}${draw("middleVowels")}`);
  const name = `${opening}${draw("vowels")}${inner.join("")}${draw(syllables === 0 ? "consonants" : "closings")}`;
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
