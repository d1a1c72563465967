import type { Problem } from "@laconic/core";

/** Letter of an option: A for index 0. */
export function optionLetter(index: number): string {
  return String.fromCharCode(65 + index);
}

/** Renders a problem for a model: the question, then each option with its letter. */
export function questionText({ question, choices = [] }: Pick<Problem, "question"> & WithChoices): string {
  return [question, ...choices.map((choice, i) => `${optionLetter(i)}) ${choice}`)].join("\n");
}

/** Moves the options of a problem into `question`. */
export function posed<P extends Problem & WithChoices>(problem: P): Omit<P, "choices"> {
  const { choices: _, ...rest } = problem;
  return { ...rest, question: questionText(problem) };
}

interface WithChoices {
  readonly choices?: readonly string[];
}
