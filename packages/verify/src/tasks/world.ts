import { randomFromSeed, type Problem, type Random, type Utterance } from "@laconic/core";
import type { Split } from "../findings.ts";
import type { Played } from "../played.ts";

/** What is known of a task: each part by a rule that shares no code with the task. */
export interface World {
  /** How tokens spell texts and prompts. */
  readonly vocabulary?: {
    textOf(tokens: readonly number[]): string;
    promptOf(tokens: readonly number[]): string;
  };
  /** The agent whose last words are the answer. */
  readonly answerer?: string;
  /** Agents whose last replies are the answer together. */
  readonly outputs?: readonly string[];
  grade?(episode: Played, problem: Problem): number;
  /** The whole prompt of an utterance. */
  prompt?(utterance: Utterance, problem: Problem, episode: Played): string;
  /** What a prompt includes, where the whole of it is not known. */
  includes?(problem: Problem, agent: string): readonly string[];
  readonly drawing?: Drawing;
}

export interface Drawing {
  /** Of the validation problems; `SEED/test` is that of the test problems. */
  readonly seed: string;
  draw(random: Random): Problem;
  isEvaluated(problem: Problem): boolean;
  /** What makes two problems the same. */
  contentOf(problem: Problem): string;
}

function drawOf(drawing: Drawing, random: Random, isEvaluated: boolean): Problem {
  for (;;) {
    const problem = drawing.draw(random);
    if (drawing.isEvaluated(problem) === isEvaluated) return problem;
  }
}

/** The first different problems: so many, or as many as twenty times so many draws bring. */
function distinct(count: number, draw: () => Problem): Problem[] {
  const problems = new Map<string, Problem>();
  for (let left = 20 * count; problems.size < count && left > 0; left--) {
    const problem = draw();
    if (!problems.has(problem.id)) problems.set(problem.id, problem);
  }
  return [...problems.values()];
}

/** Validation and test problems of each task, at most. */
const evaluatedProblems = 1000;

/** Validation and test problems, all different; a small world is divided between the two. */
export function evaluationProblems(drawing: Drawing): Readonly<Record<Split, readonly Problem[]>> {
  const [first, second] = [randomFromSeed(drawing.seed), randomFromSeed(`${drawing.seed}/test`)];
  const all = distinct(evaluatedProblems, () => drawOf(drawing, first, true));
  const taken = new Set(all.map(drawing.contentOf));
  const others = distinct(2 * evaluatedProblems, () => drawOf(drawing, second, true));
  const fresh = others.filter((problem) => !taken.has(drawing.contentOf(problem)));
  const kept = all.length - Math.max(0, Math.floor((all.length - fresh.length) / 2));
  return { validation: all.slice(0, kept), test: [...fresh.slice(0, evaluatedProblems), ...all.slice(kept)] };
}

/** The training problems of a step, counted from 1, where each step draws new ones. */
export function trainingProblems(drawing: Drawing, seed: string | number, step: number, count: number): Problem[] {
  const ofStep = randomFromSeed(seed).split(`step:${step - 1}`);
  const random = ofStep.split("problems");
  return Array.from({ length: count }, () => drawOf(drawing, random, false));
}
