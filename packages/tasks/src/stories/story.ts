import { randomFromSeed, type Problem, type Prompt, type Random, type Tokenizer } from "@laconic/core";
import type { AgentSpec, AgentView } from "@laconic/topologies";
import { distinct, type EvaluationSplits } from "../task.ts";
import { drawChild, type Child, type HeldSplit, type NameChoice, type StorySplit } from "./lexicon.ts";

/** The resources of every story world. */
export interface StoryOptions {
  /** The story model's. */
  readonly tokenizer: Tokenizer;
  /** Number of validation problems, and of test problems. Default 200. */
  readonly testProblems?: number;
}

/** The story of a child and its thing. */
export const storyOf = ({ name, thing }: Child): string =>
  `Once upon a time, there was a child named ${name}. ${name} had a ${thing}.`;

/** An agent that continues a text: story models know no roles and no instructions. */
export function storyAgent(id: string, role: string, maxTokens: number, text: (view: AgentView) => string): AgentSpec {
  // A story model rarely writes its end token: without these stops every reply would have the max length.
  return { id, role, maxTokens, stop: [".", "!", "\n"], prompt: (view) => textPrompt(text(view)) };
}

export function textPrompt(text: string): Prompt {
  return { kind: "text", text };
}

/** A message as a part of the reader's text, with the mark that ended it put back; empty for silence. */
export function asSentence(message: string, mark = "."): string {
  const text = message.trim();
  return text === "" || /[,.!?"]$/u.test(text) ? text : `${text}${mark}`;
}

/** Problems of a world in its three splits. */
export type SplitProblems = EvaluationSplits & { problems(random: Random, count: number): Problem[] };

/**
 * Problems of a world about children. Splits have separate seeds; every other evaluation problem has a name of its own split,
 * as `group` says. `problemOf` makes a problem of a child, `choice` gives the names of training.
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
    const [unseen = [], known = []] = (["unseen", "known"] as const).map((group, i) =>
      distinct(Math.floor((count + 1 - i) / 2), () => ({ ...drawn(stream, group, held), group })),
    );
    // In turn, so that any first problems have both groups.
    return unseen.flatMap((problem, i) => [problem, ...known.slice(i, i + 1)]);
  };
  return {
    problems: (random, wanted) => Array.from({ length: wanted }, () => drawn(random, "train")),
    validation: heldProblems("validation"),
    testProblems: heldProblems("test"),
  };
}
