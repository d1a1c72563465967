import { LaconicError } from "@laconic/core";

/** One thing that a judge looks at. */
export interface Criterion {
  /** Of its term: lower case letters, digits, - and _. */
  readonly name: string;
  /** What the judge is asked, such as "Does every step follow from the one before?". */
  readonly question: string;
  /** Share of the reward beside the other criteria. Default 1. */
  readonly weight?: number;
}

/** Criteria by which a judge gives 0 to {@link bestMark}. */
export interface Rubric {
  readonly criteria: readonly Criterion[];
}

/** The mark for what fully meets a criterion; 0 is for what does not meet it at all. */
export const bestMark = 10;

const nameForm = /^[a-z][a-z0-9_-]{0,39}$/u;

/**
 * A rubric of one question is the criterion `task`.
 * @throws LaconicError `config_invalid` for no criteria, a name that is none or is there twice, a weight that is not above 0
 */
export function readRubric(given: Rubric | string): readonly Required<Criterion>[] {
  const criteria = typeof given === "string" ? [{ name: "task", question: given }] : given.criteria;
  const refuse = (reason: string): LaconicError => new LaconicError("config_invalid", `rubric: ${reason}`);
  if (criteria.length === 0) throw refuse("there are no criteria");
  const seen = new Set<string>();
  return criteria.map(({ name, question, weight = 1 }) => {
    if (!nameForm.test(name))
      throw refuse(`${JSON.stringify(name)} is no name: a lower case letter, then letters, digits, - and _`);
    if (seen.has(name)) throw refuse(`two criteria are called ${name}`);
    seen.add(name);
    if (question.trim() === "") throw refuse(`${name} asks nothing`);
    if (!(weight > 0 && weight < Infinity))
      throw refuse(`the weight of ${name} is ${weight}, expected a number above 0`);
    return { name, question, weight };
  });
}
