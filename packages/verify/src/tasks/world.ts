import { randomFromSeed, type Problem, type Random, type Utterance } from "@laconic/core";
import type { Split } from "../findings.ts";
import type { Played } from "../played.ts";

/** Known rules of a task; they share no code with it. */
export interface World {
  readonly vocabulary?: {
    textOf(tokens: readonly number[]): string;
    promptOf(tokens: readonly number[]): string;
  };
  /** Agent whose last message is the answer. */
  readonly answerer?: string;
  /** Agents whose last replies form the answer. */
  readonly outputs?: readonly string[];
  grade?(episode: Played, problem: Problem): number;
  prompt?(utterance: Utterance, problem: Problem, episode: Played): string;
  /** Required parts of a prompt, if the complete one is unknown. */
  includes?(problem: Problem, agent: string): readonly string[];
  readonly drawing?: Drawing;
}

export interface Drawing {
  /** Seed of validation problems; test problems use `SEED/test`. */
  readonly seed: string;
  draw(random: Random): Problem;
  isEvaluated(problem: Problem): boolean;
  contentOf(problem: Problem): string;
}

function drawOf(drawing: Drawing, random: Random, isEvaluated: boolean): Problem {
  for (;;) {
    const problem = drawing.draw(random);
    if (drawing.isEvaluated(problem) === isEvaluated) return problem;
  }
}

/** Draws `count` distinct problems, with at most 20 `count` draws. */
function distinct(count: number, draw: () => Problem): Problem[] {
  const problems = new Map<string, Problem>();
  for (let left = 20 * count; problems.size < count && left > 0; left--) {
    const problem = draw();
    if (!problems.has(problem.id)) problems.set(problem.id, problem);
  }
  return [...problems.values()];
}

/** Max validation problems of a task, and max test problems. */
const evaluatedProblems = 1000;

/** Distinct validation and test problems; small worlds are split between the two. */
export function evaluationProblems(drawing: Drawing): Readonly<Record<Split, readonly Problem[]>> {
  const [first, second] = [randomFromSeed(drawing.seed), randomFromSeed(`${drawing.seed}/test`)];
  const all = distinct(evaluatedProblems, () => drawOf(drawing, first, true));
  const taken = new Set(all.map(drawing.contentOf));
  const others = distinct(2 * evaluatedProblems, () => drawOf(drawing, second, true));
  const fresh = others.filter((problem) => !taken.has(drawing.contentOf(problem)));
  const retained = all.length - Math.max(0, Math.floor((all.length - fresh.length) / 2));
  return { validation: all.slice(0, retained), test: [...fresh.slice(0, evaluatedProblems), ...all.slice(retained)] };
}

/** Training problems of a step, counted from 1, if each step draws new ones. */
export function trainingProblems(drawing: Drawing, seed: string | number, step: number, count: number): Problem[] {
  const ofStep = randomFromSeed(seed).split(`step:${step - 1}`);
  const random = ofStep.split("problems");
  return Array.from({ length: count }, () => drawOf(drawing, random, false));
}
