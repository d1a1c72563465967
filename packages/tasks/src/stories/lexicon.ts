import { randomFromSeed, type Random } from "@laconic/core";

const wordsIn = (text: string): readonly string[] => text.trim().split(/\s+/u);

/** Training names of one to four tokens; the first sixteen are common in the model's stories. */
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

/** Name length in tokens of the smallest story model. */
export type NameLength = "1-2" | "3-4" | "5-up";

/** All length classes, shortest first. */
export const nameLengths: readonly NameLength[] = ["1-2", "3-4", "5-up"];

/** Evaluation splits: `validation` to choose settings, `test` for one final measurement. */
export type HeldSplit = "validation" | "test";

/** Names of evaluation children, unique to their split, by token count. */
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

/** Names absent from training. */
export const unseenNames: readonly string[] = Object.values(heldNames).flatMap((byLength) =>
  Object.values(byLength).flat(),
);

/** Things of training stories. */
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

/** Things absent from training. */
export const heldThings: Readonly<Record<HeldSplit, readonly string[]>> = {
  validation: ["pink doll", "old drum", "shiny bell"],
  test: ["warm coat", "round cake", "green frog"],
};

export interface Child {
  readonly name: string;
  readonly thing: string;
}

/** Split of a child: evaluation children have a training name (`known`) or a new one (`unseen`). */
export type StorySplit = "train" | "known" | "unseen";

/** Names of training children. */
export interface NameChoice {
  /** Uses the first so many known names. Default: all. */
  readonly names?: number;
  /** Share of made-up names, to prevent a code for known names. Default 0. */
  readonly madeUp?: number;
}

/** Split of a pair of name and thing; six of eight are for training. */
export function splitOf({ name, thing }: Child): "train" | HeldSplit {
  const part = randomFromSeed(`stories ${name}/${thing}`).integer(8);
  return part === 0 ? "test" : part === 1 ? "validation" : "train";
}

/** Draws a child of the split. */
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

/** Varied lengths (Tam, Brin, Norellith); otherwise only one shape would be copied. */
function madeUpName(random: Random): string {
  const [shape, size] = [random.uniform(), random.uniform()];
  const opening = shape < 0.12 ? "" : random.pick(shape < 0.6 ? consonants : openings);
  const syllables = size < 0.3 ? 0 : size < 0.6 ? 1 : size < 0.88 ? 2 : 3;
  const inner = Array.from({ length: syllables }, () => `${random.pick(middles)}${random.pick(middleVowels)}`);
  const name = `${opening}${random.pick(vowels)}${inner.join("")}${random.pick(syllables === 0 ? consonants : closings)}`;
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
