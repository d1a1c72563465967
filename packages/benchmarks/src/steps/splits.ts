import { randomFromSeed } from "@laconic/core";
import {
  drawSteps,
  drawWrongDraft,
  stepsFamilies,
  stepsQuestion,
  workedSteps,
  type StepsFamilyName,
  type StepsProblem,
} from "./problem.ts";

/** A row of the benchmark. */
export interface StepsRow {
  readonly question: string;
  readonly gold: string;
  readonly grading: { readonly kind: "numeric" };
  readonly solution: string;
  readonly facts: readonly { readonly text: string; readonly needed: boolean }[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A drawn problem as a row. */
export function stepsProblem(steps: StepsProblem): StepsRow {
  return {
    question: stepsQuestion(steps),
    gold: `${steps.answer}`,
    grading: { kind: "numeric" },
    solution: workedSteps(steps),
    facts: steps.facts.map(({ text, use }) => ({ text, needed: use === "needed" })),
    metadata: { operations: steps.calculations.length },
  };
}

/** Draws the rows of a split as JSON lines. Metadata holds a draft with one wrong step. */
export function stepsRows(split: string, family: StepsFamilyName, count: number): string {
  const random = randomFromSeed(`steps/${split}`);
  return Array.from({ length: count }, (_, i) => {
    const stream = random.split(i);
    const steps = drawSteps(stream, { family: stepsFamilies[family] });
    const { metadata, ...problem } = stepsProblem(steps);
    const { text: draft } = drawWrongDraft(steps, stream);
    return `${JSON.stringify({ ...problem, metadata: { family, ...metadata, draft } })}\n`;
  }).join("");
}
