import { randomFromSeed, type Random, type Tokenizer, type TrainingSequence, inputError } from "@laconic/core";
import { budgetCeiling, budgetPrompt, trainedBudgets, type BudgetForm } from "../stories/budget.ts";
import { drawChild, type Child } from "../stories/lexicon.ts";
import { continuations, encode, type Course } from "./course.ts";

export function keepingBudgets(seed: string, form?: BudgetForm): Course {
  const stream = (label: string): Random => randomFromSeed(seed).split(label);
  return {
    task: { name: "story-budget", ...(form !== undefined && { form }) },
    peakLearningRate: 1e-3,
    random: stream("budgets"),
    prepare: async ({ model, tokenizer, most }) => {
      const stories = budgetStories(Math.min(4000, most), stream("stories"), form);
      const prompts = stories.map(({ prompt }) => prompt);
      const replies = await continuations(model, prompts, budgetCeiling, stream("words"));
      const texts = replies.flatMap(({ completionTokens: tokens, finishReason }, i) => {
        const child = stories[i]?.child;
        return child && finishReason === "stop" ? [{ child, tokens }] : [];
      });
      const draw = budgetExamples(tokenizer, texts, form);
      return (size, random) => {
        const drawn = draw(size, random);
        if (drawn.length > 0) return drawn;
        throw inputError(`no examples: none of ${stories.length} texts is as long as a budget`);
      };
    },
  };
}

export function budgetStories(
  count: number,
  random: Random,
  form?: BudgetForm,
): { readonly child: Child; readonly prompt: string }[] {
  return Array.from({ length: count }, (_, i) => {
    const stream = random.split(i);
    const child = drawChild(stream, "train");
    return { child, prompt: budgetPrompt(child, stream.pick(trainedBudgets), form) };
  });
}

/** Lengths with fewer texts are drawn less often. */
const enoughTexts = 25;

/**
 * Uses each text's length as its budget (hindsight; Andrychowicz et al. 2017), if it is a training budget. Counts the
 * end token.
 */
export function budgetExamples(
  tokenizer: Tokenizer,
  texts: readonly { readonly child: Child; readonly tokens: readonly number[] }[],
  form?: BudgetForm,
): (size: number, random: Random) => TrainingSequence[] {
  const byLength = new Map<number, TrainingSequence[]>();
  for (const { child, tokens } of texts) {
    if (!trainedBudgets.includes(tokens.length)) continue;
    const promptTokens = encode(tokenizer, budgetPrompt(child, tokens.length, form));
    const examples = byLength.get(tokens.length) ?? [];
    examples.push({ promptTokens, completionTokens: tokens });
    byLength.set(tokens.length, examples);
  }
  const weighted = [...byLength.values()].flatMap((examples) =>
    Array.from({ length: Math.min(examples.length, enoughTexts) }, () => examples),
  );
  return (size, random) =>
    weighted.length === 0
      ? []
      : Array.from({ length: size }, () =>
          random.pick(weighted[random.integer(weighted.length)] as readonly TrainingSequence[]),
        );
}
