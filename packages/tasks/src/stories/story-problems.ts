import { randomFromSeed, type Problem, type Random } from "@laconic/core";
import { distinct } from "../task.ts";
import { drawChild, type Child, type HeldSplit, type NameChoice, type StorySplit } from "./lexicon.ts";

/** Problems of a world's three splits. */
export interface SplitProblems {
  readonly problems: (random: Random, count: number) => Problem[];
  readonly validation: readonly Problem[];
  readonly testProblems: readonly Problem[];
}

/**
 * Problems of a world about children: those of training are drawn without end; validation and test problems have seeds of their own,
 * and every other one is about a name that neither training nor the other split has. `group` says which.
 * @param problemOf - draws what else is random, makes a problem of it
 * @param choice - which names training has
 */
export function storyProblems(
  world: string,
  count: number,
  problemOf: (child: Child, random: Random, split: StorySplit) => Problem,
  choice?: NameChoice,
): SplitProblems {
  const drawn = (random: Random, split: StorySplit, held?: HeldSplit): Problem =>
    problemOf(drawChild(random, split, held, choice), random, split);
  const heldProblems = (held: HeldSplit): Problem[] => {
    const stream = randomFromSeed(`${world}/${held}`);
    const ofSplit = (split: "known" | "unseen", wanted: number): Problem[] =>
      distinct(wanted, () => ({ ...drawn(stream, split, held), group: split }));
    const [unseen, known] = [ofSplit("unseen", Math.ceil(count / 2)), ofSplit("known", Math.floor(count / 2))];
    // In turn, so that the first so many hold both.
    return unseen.flatMap((problem, i) => [problem, ...known.slice(i, i + 1)]);
  };
  return {
    problems: (random, wanted) => Array.from({ length: wanted }, () => drawn(random, "train")),
    validation: heldProblems("validation"),
    testProblems: heldProblems("test"),
  };
}
