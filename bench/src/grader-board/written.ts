import { characters } from "./by-hand/characters.ts";
import { exploits } from "./by-hand/exploits.ts";
import { forms } from "./by-hand/forms.ts";
import { letters } from "./by-hand/letters.ts";
import { parts } from "./by-hand/parts.ts";
import { places } from "./by-hand/places.ts";
import { wordProblems } from "./by-hand/word-problems.ts";
import type { Written } from "./row.ts";

/** Items that somebody wrote and judged by the rules. */
export const written: readonly Written[] = [
  ...forms,
  ...parts,
  ...places,
  ...wordProblems,
  ...letters,
  ...exploits,
  ...characters,
];
