import { randomFromSeed, type Random } from "@laconic/core";

/**
 * Children that stories of training are about: names that the smallest story model spells in one to four tokens. The first
 * sixteen are common in its stories; the others stand in an order that was drawn.
 */
export const knownNames: readonly string[] = [
  "Lily",
  "Tom",
  "Tim",
  "Ben",
  "Sue",
  "Mia",
  "Max",
  "Sam",
  "Jack",
  "Lucy",
  "Sara",
  "Bob",
  "Amy",
  "Jane",
  "Mary",
  "Timmy",
  "Kim",
  "Cara",
  "Ed",
  "Harry",
  "Sally",
  "Betty",
  "Leon",
  "Jess",
  "Lina",
  "Todd",
  "Kate",
  "Pam",
  "Cole",
  "Don",
  "Matt",
  "Wendy",
  "Luke",
  "Tara",
  "Tina",
  "Milo",
  "Jim",
  "Jimmy",
  "Bess",
  "Wes",
  "Hal",
  "Mara",
  "Ray",
  "Burt",
  "Kai",
  "Jed",
  "Sal",
  "Lana",
  "Seth",
  "Marie",
  "Mimi",
  "Jon",
  "Al",
  "Jen",
  "Ken",
  "Brad",
  "Maya",
  "Vera",
  "Will",
  "Ted",
  "Mona",
  "Mike",
  "Ivy",
  "Joan",
  "Tommy",
  "Ella",
  "Tad",
  "Eve",
  "Oscar",
  "Len",
  "Hope",
  "Bea",
  "Nell",
  "Lila",
  "Ollie",
  "Wade",
  "Ron",
  "Ruth",
  "Peg",
  "Trish",
  "Zoe",
  "Steve",
  "Benny",
  "Dirk",
  "Vic",
  "Peter",
  "Rose",
  "Dave",
  "Abe",
  "Joy",
  "Flo",
  "Lena",
  "Molly",
  "Sean",
  "Lil",
  "Mark",
  "Faye",
  "Fay",
  "Jill",
  "Jo",
  "Neil",
  "Tess",
  "Dina",
  "Mandy",
  "Stan",
  "Sandy",
  "Ned",
  "Bella",
  "Billy",
  "Gina",
  "Leo",
  "Toni",
  "Ida",
  "Jan",
  "Finn",
  "Beth",
  "Joe",
  "Dean",
  "Tony",
  "Fred",
  "Nina",
  "Zack",
  "Eli",
  "Dan",
  "Hank",
  "Erin",
  "Nat",
  "Lola",
  "Zara",
  "Rob",
  "Nick",
  "Tia",
  "June",
  "Roy",
  "Otto",
  "Lou",
  "Lulu",
  "Lisa",
  "Kitty",
  "Pete",
  "Kit",
  "Andy",
  "Mina",
  "Lia",
  "Gus",
  "Ian",
  "Linda",
  "Earl",
  "Jake",
  "Lee",
  "Glen",
  "Lara",
];

/** Children that held-out stories are about, and none of training is: drawn with the others' order, before anything was trained. */
export const unseenNames: readonly string[] = [
  "Sadie",
  "Jay",
  "Hugo",
  "Greg",
  "Rick",
  "Cora",
  "Mae",
  "Nan",
  "Sid",
  "Ana",
  "Phil",
  "Liz",
  "Iris",
  "Rex",
  "Bill",
  "Eva",
  "Rita",
  "Pat",
  "Nora",
  "Toby",
  "Dora",
  "Meg",
  "Ann",
  "Carl",
];

/** Things that a child has. */
export const things: readonly string[] = [
  "red ball",
  "big dog",
  "small cat",
  "toy car",
  "blue bird",
  "pretty flower",
  "big box",
  "new hat",
  "little boat",
  "soft bear",
];

/** A child and what it has. */
export interface Child {
  readonly name: string;
  readonly thing: string;
}

/** Where a child is from: `known` is held out but its name is one of training's, `unseen` has a name that no story of training has. */
export type StorySplit = "train" | "known" | "unseen";

/** How children of training are drawn. */
export interface NameChoice {
  /** How many of the known names there are, the first of them; all when absent. */
  readonly names?: number;
  /** Share of children with a made-up name, drawn without end: a code for the known names does not cover them. Default 0. */
  readonly madeUp?: number;
}

/** Draws a child of one split; one pair of name and thing in eight is never learned on. */
export function drawChild(
  random: Random,
  split: StorySplit,
  { names = knownNames.length, madeUp = 0 }: NameChoice = {},
): Child {
  const known = knownNames.slice(0, names);
  for (;;) {
    const isMadeUp = split === "train" && madeUp > 0 && random.uniform() < madeUp;
    const name = isMadeUp ? madeUpName(random) : random.pick(split === "unseen" ? unseenNames : known);
    if (isMadeUp && (knownNames.includes(name) || unseenNames.includes(name))) continue;
    const child = { name, thing: random.pick(things) };
    const isHeldOut = randomFromSeed(`stories ${child.name}/${child.thing}`).integer(8) === 0;
    if (split === "unseen" || isHeldOut === (split === "known")) return child;
  }
}

const consonants = Array.from("bdfghjklmnprstvwz");
const vowels = Array.from("aeiou");
const pairs: readonly string[] = ["br", "st", "tr", "gr", "cl", "fl", "sh", "ch", "th", "dr", "bl", "gl"];
const closings: readonly string[] = [...consonants, "t", "x", "ck", "ll", "nn", "th", "ne", "ke", "te"];
const endings: readonly string[] = [...vowels, "y", "ie", "ia"];

/** One syllable or two, such as Brin, Tilek, Udie or Vack: as many shapes as names have, or only one of them would be copied. */
function madeUpName(random: Random): string {
  const shape = random.uniform();
  const opening = shape < 0.15 ? random.pick(pairs) : shape < 0.27 ? "" : random.pick(consonants);
  const syllable = (): string => `${random.pick(consonants)}${random.pick(vowels)}`;
  const rest = random.pick([
    () => random.pick(closings),
    () => `${random.pick(consonants)}${random.pick(endings)}`,
    () => `${syllable()}${random.pick(consonants)}`,
  ])();
  const name = `${opening}${random.pick(vowels)}${rest}`;
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
