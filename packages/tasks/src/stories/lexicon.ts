import { randomFromSeed, type Random } from "@laconic/core";

const wordsIn = (text: string): readonly string[] => text.trim().split(/\s+/u);

/** Names of training, of one to four tokens. The first sixteen are common in the model's stories; the others' order was drawn. */
export const knownNames: readonly string[] = wordsIn(`
  Lily Tom Tim Ben Sue Mia Max Sam Jack Lucy Sara Bob Amy Jane Mary Timmy Kim Cara Ed Harry Sally
  Betty Leon Jess Lina Todd Kate Pam Cole Don Matt Wendy Luke Tara Tina Milo Jim Jimmy Bess Wes Hal
  Mara Ray Burt Kai Jed Sal Lana Seth Marie Mimi Jon Al Jen Ken Brad Maya Vera Will Mona Mike Ivy Joan
  Tommy Ella Eve Oscar Hope Bea Nell Lila Ollie Wade Ron Ruth Peg Trish Zoe Steve Benny Dirk Vic Peter
  Rose Dave Abe Joy Flo Lena Molly Sean Mark Faye Fay Jill Jo Neil Tess Dina Mandy Stan Sandy Ned
  Bella Billy Gina Leo Toni Ida Jan Finn Beth Joe Dean Tony Fred Nina Zack Eli Dan Hank Erin Nat Lola
  Zara Rob Nick Tia June Roy Otto Lulu Lisa Kitty Pete Kit Andy Mina Lia Gus Linda Earl Jake Lee Glen
  Lara
`);

/** How many tokens the smallest story model spells a name in. */
export type NameLength = "1-2" | "3-4" | "5-up";

/** Every class of lengths, shortest first. */
export const nameLengths: readonly NameLength[] = ["1-2", "3-4", "5-up"];

/** Problems that are not trained on: those that settings are chosen by, and those that are measured once, at the end. */
export type HeldSplit = "validation" | "test";

/** Children that test stories are about, and none of training or of the other split is, by the tokens of their names. */
export const heldNames: Readonly<Record<HeldSplit, Readonly<Record<NameLength, readonly string[]>>>> = {
  validation: {
    "1-2": wordsIn("Lou Ted Tam Lin"),
    "3-4": wordsIn("Mel Lyn Ina Wen Lori Otis Heidi Miles Gwen Karl Troy Jade Levi Opal Reed Dale"),
    "5-up": wordsIn(
      "Alice Lucas Emma Noah David Elsa Kevin Robin Olivia Daniel Julia Felix Gabriel Florence Victoria Rebecca",
    ),
  },
  test: {
    "1-2": wordsIn("Sid Ian Len Tad Ona Ike"),
    "3-4": wordsIn(
      "Sadie Jay Hugo Greg Rick Cora Mae Nan Ana Phil Liz Iris Rex Bill Eva Rita Pat Nora Toby Dora Meg Ann Carl",
    ),
    "5-up": wordsIn(
      "Clara Ethan Hannah Diana Matthew Andrew Leonard Rosa Sophia Joseph Chloe Violet Arthur Isabella Charlotte Christopher",
    ),
  },
};

/** Every name that training never has. */
export const unseenNames: readonly string[] = Object.values(heldNames).flatMap((byLength) =>
  Object.values(byLength).flat(),
);

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

/** Things of test stories alone. */
export const heldThings: Readonly<Record<HeldSplit, readonly string[]>> = {
  validation: ["pink doll", "old drum", "shiny bell"],
  test: ["warm coat", "round cake", "green frog"],
};

/** A child and what it has. */
export interface Child {
  readonly name: string;
  readonly thing: string;
}

/** Where a child is from: `known` is kept for validation and test but its name is one of training's, `unseen` has a name that no story of training has. */
export type StorySplit = "train" | "known" | "unseen";

/** How children of training are drawn. */
export interface NameChoice {
  /** How many of the known names there are, the first of them; all when absent. */
  readonly names?: number;
  /** Share of children with a made-up name, drawn without end: a code for the known names does not cover them. Default 0. */
  readonly madeUp?: number;
}

/** The split that a pair of name and thing is for: of eight, six are learned on. */
export function splitOf({ name, thing }: Child): "train" | HeldSplit {
  const part = randomFromSeed(`stories ${name}/${thing}`).integer(8);
  return part === 0 ? "test" : part === 1 ? "validation" : "train";
}

/** A child for a split: its pair of name and thing is of no other. */
export function drawChild(random: Random, split: StorySplit, held: HeldSplit = "test", choice: NameChoice = {}): Child {
  const unseen = Object.values(heldNames[held]).flat();
  for (;;) {
    const name =
      split === "unseen"
        ? random.pick(unseen)
        : trainedName(random, split === "train" ? choice : { ...choice, madeUp: 0 });
    const child = { name, thing: random.pick(things) };
    if (split === "unseen" || splitOf(child) === (split === "train" ? "train" : held)) return child;
  }
}

/** A name of training. */
export function trainedName(random: Random, { names = knownNames.length, madeUp = 0 }: NameChoice): string {
  if (madeUp > 0 && random.uniform() < madeUp) {
    for (;;) {
      const name = madeUpName(random);
      if (!knownNames.includes(name) && !unseenNames.includes(name)) return name;
    }
  }
  return random.pick(knownNames.slice(0, names));
}

const letters = (text: string): readonly string[] => text.split(" ");

const consonants = letters("b d f g h j k l m n p r s t v w z");
const openings = letters("b d f g h j k l m n p r s t v w z br st tr gr cl fl sh ch th dr bl gl ph wh kr");
const vowels = letters("a e i o u");
const middleVowels = letters("a e i o u a e i o u ia ie ea ee ai io oe ou");
const middles = letters("b d f g h j k l m n p r s t v w z nn ll tt ss ph th ch ct nd nt rt rd lv st br dr bb mm");
const closings = letters(
  "n l s t d r m x y a e o h ck ll nn th ne ke te ce se es us er el en on in an am ia ie ew ard et is as",
);

/** One syllable to four, such as Tam, Brin or Norellith: if all had one shape, only that would be copied. */
function madeUpName(random: Random): string {
  const [shape, size] = [random.uniform(), random.uniform()];
  const opening = shape < 0.12 ? "" : random.pick(shape < 0.6 ? consonants : openings);
  const syllables = size < 0.3 ? 0 : size < 0.6 ? 1 : size < 0.88 ? 2 : 3;
  const inner = Array.from({ length: syllables }, () => `${random.pick(middles)}${random.pick(middleVowels)}`);
  const name = `${opening}${random.pick(vowels)}${inner.join("")}${random.pick(syllables === 0 ? consonants : closings)}`;
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
