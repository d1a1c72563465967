import { configError } from "@laconic/core";
import { rankCorrelation } from "@laconic/core/numeric";
import { solo } from "@laconic/topologies";
import type { TeamTask } from "../task.ts";
import type { Child } from "./lexicon.ts";
import { storyProbes } from "./probes.ts";
import { storyAgent, storyOf, storyProblems, type StoryOptions } from "./story.ts";

const words =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const tens = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

function inWords(number: number): string {
  const [ten, one] = [tens[Math.floor(number / 10)], words[number % 10]];
  return words[number] ?? (ten === undefined ? String(number) : number % 10 === 0 ? ten : `${ten} ${one}`);
}

/** Form of a budget in a prompt. */
export type BudgetForm =
  /** A "very" per token. */
  | "unary"
  /** A "very" per two tokens. */
  | "half-unary"
  /** "Tell it in 8 words." */
  | "digits"
  /** "Tell it in 08 words.": one token per digit. */
  | "two-digits"
  /** "Tell it in eight words." */
  | "words";

const very = (count: number): string => `It was a very${" very".repeat(Math.max(0, count - 1))}.`;

const forms: Readonly<Record<BudgetForm, (budget: number) => string>> = {
  unary: very,
  "half-unary": (budget) => very(Math.round(budget / 2)),
  digits: (budget) => `Tell it in ${budget} words.`,
  "two-digits": (budget) => `Tell it in ${String(budget).padStart(2, "0")} words.`,
  words: (budget) => `Tell it in ${inWords(budget)} words.`,
};

/** All budget forms. */
export const budgetFormNames: readonly BudgetForm[] = Object.keys(forms) as BudgetForm[];

/** Story with its budget. */
export function budgetPrompt(child: Child, budget: number, form: BudgetForm = "unary"): string {
  return `${storyOf(child)} ${forms[form](budget)}`;
}

/** Settings of {@link storyBudgetTask}. */
export interface StoryBudgetOptions extends StoryOptions {
  /** Tokens in training. */
  readonly budgets?: readonly number[];
  /** Test budgets of the group `unseen`. */
  readonly unseenBudgets?: readonly number[];
  /** Default `unary`. */
  readonly form?: BudgetForm;
  /** Default 36. */
  readonly replyTokens?: number;
}

/** Each at least two tokens from all {@link unseenBudgets}. */
export const trainedBudgets: readonly number[] = [4, 8, 12, 16, 17, 18, 22, 23, 24, 25, 26, 30, 31, 32];

/** Evaluation budgets. */
export const unseenBudgets: readonly number[] = [6, 10, 14, 20, 28];

/** Default max reply tokens. */
export const budgetCeiling = 36;

/**
 * Grades how close a reply's length is to the stated budget. Evaluations report Spearman's correlation.
 * @throws LaconicError `config_invalid` for a budget of both training and evaluations
 */
export function storyBudgetTask({
  tokenizer,
  budgets = trainedBudgets,
  unseenBudgets: unseen = unseenBudgets,
  form,
  replyTokens = budgetCeiling,
  testProblems = 200,
}: StoryBudgetOptions): TeamTask {
  const both = budgets.find((budget) => unseen.includes(budget));
  if (both !== undefined)
    throw configError(`a budget of ${both} is both in budgets and in unseenBudgets`, {
      key: "unseenBudgets",
    });
  return {
    name: "story-budget",
    topology: solo(
      storyAgent("writer", "writer", replyTokens, ({ question }) => question),
      "story-budget",
    ),
    tokenizer,
    reward: ({ ledger }, { gold }) => ({ task: obedience(ledger.calls[0]?.writtenTokens ?? 0, Number(gold)) }),
    across: (played) => {
      const spoken = played.filter(({ episode }) => episode.ledger.calls.length > 0);
      const spent = spoken.map(({ episode }) => episode.ledger.calls[0]?.writtenTokens ?? 0);
      const asked = spoken.map(({ problem }) => Number(problem.gold));
      return { rank_correlation: rankCorrelation(asked, spent) };
    },
    probes: storyProbes,
    ...storyProblems("story-budget", testProblems, (child, random, split) => {
      const budget = random.pick(split === "unseen" ? unseen : budgets);
      return {
        id: `story-budget:${child.name}/${child.thing}/${budget}`,
        question: budgetPrompt(child, budget, form),
        gold: String(budget),
      };
    }),
  };
}

/** 1 at the budget; 0 at no tokens and at twice the budget. */
export function obedience(tokens: number, budget: number): number {
  return Math.max(0, 1 - Math.abs(tokens - budget) / budget);
}
