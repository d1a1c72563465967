import type { Random, Tokenizer, TrainingSequence } from "@laconic/core";
import { trainedBudgets } from "./budget.ts";
import { budgetPrompt, type BudgetForm } from "./budget-forms.ts";
import { drawChild, type Child } from "./lexicon.ts";

/** A story with a budget, for a model to go on with. */
export interface BudgetStory {
  readonly child: Child;
  readonly prompt: string;
}

/** Which budgets there are examples for, and how they are said. */
export interface BudgetExampleOptions {
  /** Default: those that the world learns on. */
  readonly budgets?: readonly number[];
  readonly form?: BudgetForm;
}

/** Stories of training's children, each with one of the budgets. */
export function budgetStories(
  count: number,
  random: Random,
  { budgets = trainedBudgets, form }: BudgetExampleOptions = {},
): BudgetStory[] {
  return Array.from({ length: count }, (_, i) => {
    const own = random.split(i);
    const child = drawChild(own, "train");
    return { child, prompt: budgetPrompt(child, own.pick(budgets), form) };
  });
}

/** A length with fewer texts is drawn less often, or they would be learned by heart. */
const enoughTexts = 25;

/**
 * Examples of keeping to a budget, out of what a model said: had its length been the budget, it would have kept to it. So the text
 * stands behind the same story with that budget (hindsight; Andrychowicz et al. 2017). Lengths that are no budget of training are left
 * out, so that those that are kept back are in no example.
 * @param said - stories, and the tokens behind each with the one that ended them
 * @returns draws so many examples
 */
export function budgetExamples(
  tokenizer: Tokenizer,
  said: readonly { readonly child: Child; readonly tokens: readonly number[] }[],
  { budgets = trainedBudgets, form }: BudgetExampleOptions = {},
): (size: number, random: Random) => TrainingSequence[] {
  const encode = (text: string): readonly number[] => (tokenizer.encodePrompt ?? tokenizer.encode)(text);
  const byLength = new Map<number, TrainingSequence[]>();
  for (const { child, tokens } of said) {
    if (!budgets.includes(tokens.length)) continue;
    const example = { promptTokens: encode(budgetPrompt(child, tokens.length, form)), completionTokens: tokens };
    byLength.set(tokens.length, [...(byLength.get(tokens.length) ?? []), example]);
  }
  const lengths = [...byLength.values()];
  const weights = lengths.map(({ length }) => Math.min(length, enoughTexts));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const lengthAt = (place: number): readonly TrainingSequence[] => {
    let before = 0;
    return lengths.find((_, i) => (before += weights[i] ?? 0) > place) ?? [];
  };
  return (size, random) =>
    whole === 0 ? [] : Array.from({ length: size }, () => random.pick(lengthAt(random.integer(whole))));
}
