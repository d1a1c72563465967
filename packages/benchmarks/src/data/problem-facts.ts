import type { Problem } from "@laconic/core";
import type { Grading } from "@laconic/grading";
import type { BenchmarkProblem } from "./benchmark.ts";
import { asksInWords, optionsAt, passagesOf, type Passage } from "./facts.ts";
import { programPassages } from "./program-facts.ts";
import { optionLetter } from "./question-text.ts";
import { mathsPassages } from "./value-facts.ts";

export type Dealable = Problem & Partial<Pick<BenchmarkProblem, "grading" | "choices" | "facts">>;

interface FactRule {
  /** Passages of the question with its options, in order; null for a kind that is not dealt. */
  readonly passages: ((problem: Dealable) => Passage[]) | null;
  /** Deal of published runs: another holder moves all facts. */
  readonly reshuffles: boolean;
}

const clauses: FactRule = { passages: ({ question }) => passagesOf(question), reshuffles: true };
const whole: FactRule = { passages: null, reshuffles: false };

const rules: Readonly<Record<Grading["kind"], FactRule>> = {
  numeric: clauses,
  text: clauses,
  letter: { passages: (problem) => choicePassages(problem, passagesOf), reshuffles: false },
  maths: { passages: (problem) => choicePassages(problem, mathsPassages), reshuffles: false },
  code: { passages: ({ question }) => programPassages(question), reshuffles: false },
  program: whole,
  writing: whole,
};

export function factRule({ grading, choices = [], facts }: Dealable): FactRule {
  if (facts) return { passages: ({ question }) => statedPassages(question, facts), reshuffles: false };
  if (grading) return rules[grading.kind];
  return choices.length > 0 ? rules.letter : clauses;
}

function statedPassages(question: string, facts: NonNullable<Dealable["facts"]>): Passage[] {
  const stated = facts.map(({ text, needed }): Passage => ({ text: `${text} `, fact: true, needed }));
  const length = stated.reduce((sum, { text }) => sum + text.length, 0);
  return [...stated, { text: question.slice(length), fact: false }];
}

/** Options are facts if two holders can have two of them; fewer belong to the question. */
function choicePassages({ question, choices }: Dealable, statedIn: (text: string) => Passage[]): Passage[] {
  const listed = choices ? question.length : optionsAt(question);
  // A paragraph after the options asks.
  const after = /\n\s*\n(?![ \t]*\(?[A-Z][).:])/u.exec(question.slice(listed));
  const end = after ? listed + after.index : question.length;
  const options = choices
    ? choices.map((choice, i) => `\n${optionLetter(i)}) ${choice}`)
    : question.slice(listed, end).split(/(?=\n[ \t]*\(?[A-Z][).:])/u);
  const stem = question.slice(0, listed);
  const stated = statedIn(stem);
  const passages = [
    ...(asksInWords(stated) ? stated : [{ text: stem, fact: false }]),
    ...options.map((text) => ({ text, fact: options.length >= 4, option: true })),
    { text: question.slice(end), fact: false },
  ];
  return passages.filter(({ text }) => text !== "");
}
