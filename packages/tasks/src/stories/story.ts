import { randomFromSeed, type Problem, type Prompt, type Random, type Tokenizer } from "@laconic/core";
import type { AgentSpec, AgentView } from "@laconic/topologies";
import { distinct, type EvaluationSplits } from "../task.ts";
import { drawChild, type Child, type HeldSplit, type NameChoice, type StorySplit } from "./lexicon.ts";

/** Resources of every story world. */
export interface StoryOptions {
  readonly tokenizer: Tokenizer;
  /** Problems per evaluation split. Default 200. */
  readonly testProblems?: number;
}

/** Story of a child. */
export const storyOf = ({ name, thing }: Child): string =>
  `Once upon a time, there was a child named ${name}. ${name} had a ${thing}.`;

/** Continues a text; story models ignore roles and instructions. */
export function storyAgent(id: string, role: string, maxTokens: number, text: (view: AgentView) => string): AgentSpec {
  // Story models rarely write their end token.
  return { id, role, maxTokens, stop: [".", "!", "\n"], prompt: (view) => textPrompt(text(view)) };
}

export function textPrompt(text: string): Prompt {
  return { kind: "text", text };
}

/** Restores the end mark; empty for silence. */
export function asSentence(message: string, mark = "."): string {
  const text = message.trim();
  return text === "" || /[,.!?"]$/u.test(text) ? text : `${text}${mark}`;
}

/** Problems in three splits. */
export type SplitProblems = EvaluationSplits & { problems(random: Random, count: number): Problem[] };

/** Problems about children, with a seed per split. Every other evaluation problem has an unseen name. */
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
    const [unseen = [], seen = []] = (["unseen", "known"] as const).map((group, i) =>
      distinct(Math.floor((count + 1 - i) / 2), () => ({ ...drawn(stream, group, held), group })),
    );
    // Prefixes have both groups.
    return unseen.flatMap((problem, i) => [problem, ...seen.slice(i, i + 1)]);
  };
  return {
    problems: (random, size) => Array.from({ length: size }, () => drawn(random, "train")),
    validation: heldProblems("validation"),
    testProblems: heldProblems("test"),
  };
}
