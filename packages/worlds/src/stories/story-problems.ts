import { randomFromSeed, type Problem, type Random } from "@laconic/core";
import { distinct } from "@laconic/tasks";
import { drawChild, type Child, type NameChoice, type StorySplit } from "./lexicon.ts";

/**
 * Problems of a world about children: those of training are drawn without end; of those held out every other one is about a
 * name that training never had. They are told apart by `group`.
 * @param problemOf - draws what else is random, makes a problem of it
 * @param choice - which names training has
 */
export function storyProblems(
  world: string,
  heldOut: number,
  problemOf: (child: Child, random: Random, split: StorySplit) => Problem,
  choice?: NameChoice,
): { readonly problems: (random: Random, count: number) => Problem[]; readonly heldOut: readonly Problem[] } {
  const drawn = (random: Random, split: StorySplit): Problem =>
    problemOf(drawChild(random, split, choice), random, split);
  const stream = randomFromSeed(world);
  const held = (split: "known" | "unseen", count: number): Problem[] =>
    distinct(count, () => ({ ...drawn(stream, split), group: split }));
  const [unseen, known] = [held("unseen", Math.ceil(heldOut / 2)), held("known", Math.floor(heldOut / 2))];
  return {
    problems: (random, count) => Array.from({ length: count }, () => drawn(random, "train")),
    // In turn, so that the first so many hold both.
    heldOut: unseen.flatMap((problem, i) => [problem, ...known.slice(i, i + 1)]),
  };
}
