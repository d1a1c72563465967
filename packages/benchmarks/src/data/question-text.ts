import type { Problem } from "@laconic/core";

/** The letter of an option: A for the first. */
export function optionLetter(index: number): string {
  return String.fromCharCode(65 + index);
}

/**
 * A problem's text as a model gets it: the question, then each option once behind its letter. The only place that puts them
 * together: `question` never holds options, and what has been rendered has no `choices` left.
 */
export function questionText({ question, choices = [] }: Pick<Problem, "question"> & WithChoices): string {
  return [question, ...choices.map((choice, i) => `${optionLetter(i)}) ${choice}`)].join("\n");
}

/** The problem as a team is given it: all in `question`. */
export function posed<P extends Problem & WithChoices>(problem: P): Omit<P, "choices"> {
  const { choices: _, ...rest } = problem;
  return { ...rest, question: questionText(problem) };
}

interface WithChoices {
  readonly choices?: readonly string[];
}
