import type { Child } from "./lexicon.ts";
import { storyOf } from "./teller-team.ts";

const below20: readonly string[] = [
  "zero",
  "one",
  "two",
  "three",
  "four",
  "five",
  "six",
  "seven",
  "eight",
  "nine",
  "ten",
  "eleven",
  "twelve",
  "thirteen",
  "fourteen",
  "fifteen",
  "sixteen",
  "seventeen",
  "eighteen",
  "nineteen",
];
const tens: readonly string[] = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

/** A number below 100 in words; others in digits. */
function inWords(number: number): string {
  const [ten, one] = [tens[Math.floor(number / 10)], below20[number % 10]];
  return below20[number] ?? (ten === undefined ? String(number) : number % 10 === 0 ? ten : `${ten} ${one}`);
}

const very = (count: number): string => `It was a very${" very".repeat(Math.max(0, count - 1))}.`;

/** How a budget is said. */
export type BudgetForm =
  /** One "very", which is one token of the story model, for each token. */
  | "unary"
  /** One "very" for two. */
  | "half-unary"
  /** "Tell it in 8 words." */
  | "digits"
  /** "Tell it in 08 words.": tens and ones are a token each, always in the same places. */
  | "two-digits"
  /** "Tell it in eight words." */
  | "words";

const forms: Readonly<Record<BudgetForm, (budget: number) => string>> = {
  unary: (budget) => very(budget),
  "half-unary": (budget) => very(Math.round(budget / 2)),
  digits: (budget) => `Tell it in ${budget} words.`,
  "two-digits": (budget) => `Tell it in ${String(budget).padStart(2, "0")} words.`,
  words: (budget) => `Tell it in ${inWords(budget)} words.`,
};

/** Every form there is. */
export const budgetFormNames: readonly BudgetForm[] = Object.keys(forms) as BudgetForm[];

/** What the writer goes on from: a story and its budget. */
export function budgetPrompt(child: Child, budget: number, form: BudgetForm = "unary"): string {
  return `${storyOf(child)} ${forms[form](budget)}`;
}
