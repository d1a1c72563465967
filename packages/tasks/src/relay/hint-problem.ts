import { randomFromSeed, type Problem, type Random } from "@laconic/core";
import type { RelaySplit } from "./problem.ts";

/** The agent that learns: it holds facts, and writes the hint. */
export const hintCollaborator = "collaborator";
/** The agent that stays as it is: it answers. */
export const hintActorAgent = "actor";

const keys = "abcdefghijklmnopqrstuvwxyz".split("");

/**
 * What the actor reads: the first fact and every other time the second, or also everything that the collaborator reads.
 */
export type ActorReads = "own" | "everything";

/**
 * Draws a problem of one split: `k+e` asks for the sum of two values. The actor knows the first; in half of the problems
 * it knows the second too. The collaborator always knows the second, among facts that nobody asks for.
 */
export function generateHintProblem(
  { distractors, actorReads }: { readonly distractors: number; readonly actorReads: ActorReads },
  random: Random,
  split: RelaySplit,
): Problem {
  for (;;) {
    const [first, second, ...others] = random.shuffle(keys).slice(0, 2 + distractors) as [string, string, ...string[]];
    const fact = (key: string): { key: string; value: number } => ({ key, value: random.integer(10) });
    const [a, b] = [fact(first), fact(second)];
    const shown = ({ key, value }: { key: string; value: number }): string => `${key}${value}`;
    const held = random.shuffle([b, ...others.map((key) => fact(key))]).map((each) => shown(each));
    const knowsBoth = actorReads === "own" && random.uniform() < 0.5;
    const known = actorReads === "own" ? [shown(a), ...(knowsBoth ? [shown(b)] : [])] : [shown(a), ...held];
    const problem: Problem = {
      id: `relay-hint:${known.join(" ")}|${held.join(" ")}?${first}+${second}`,
      question: `${first}+${second}`,
      gold: String(a.value + b.value),
      views: { [hintActorAgent]: known.join(" "), [hintCollaborator]: held.join(" ") },
    };
    if (isEvaluationHint(problem) === (split === "evaluation")) return problem;
  }
}

/** One problem in eight, by its id. */
export function isEvaluationHint({ id }: Problem): boolean {
  return randomFromSeed(`relay-hint split ${id}`).integer(8) === 0;
}
