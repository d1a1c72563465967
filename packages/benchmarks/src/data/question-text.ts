import type { Problem } from "@laconic/core";

export function optionLetter(index: number): string {
  return String.fromCharCode(65 + index);
}

/** Joins the question and each option with its letter. */
export function questionText({ question, choices = [] }: Pick<Problem, "question"> & WithChoices): string {
  return [question, ...choices.map((choice, i) => `${optionLetter(i)}) ${choice}`)].join("\n");
}

/** Moves the options into `question`. */
export function posed<P extends Problem & WithChoices>(problem: P): Omit<P, "choices"> {
  const { choices: _, ...rest } = problem;
  return { ...rest, question: questionText(problem) };
}

/** The problem as in published requests. */
export function inPublishedForm<P extends Problem & { readonly published?: string }>(problem: P): P {
  return problem.published === undefined ? problem : { ...problem, question: problem.published };
}

interface WithChoices {
  readonly choices?: readonly string[];
}
