import { LaconicError } from "@laconic/core";
import { rankCorrelation } from "@laconic/core/numeric";
import { solo } from "@laconic/topologies";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import type { TeamTask } from "../task.ts";
import { budgetPrompt, type BudgetForm } from "./budget-forms.ts";
import { storyAgent } from "./story-agent.ts";
import { storyProbes } from "./probes.ts";
import { storyProblems } from "./story-problems.ts";

/** Size of the world. */
export interface StoryBudgetOptions {
  /** Of the story model. */
  readonly tokenizer: TeamTask["tokenizer"];
  /** Budgets that are learned on, in tokens. */
  readonly budgets?: readonly number[];
  /** Budgets of the test problems called `unseen`, and never learned on; those called `known` have those of training. */
  readonly unseenBudgets?: readonly number[];
  /** How a budget is said. Default `unary`: one "very" for each token of it; `digits` says "Tell it in 14 words". */
  readonly form?: BudgetForm;
  /** Most tokens of the reply. Default 36. */
  readonly replyTokens?: number;
  /** Test problems, and as many of validation; 200 when absent. */
  readonly testProblems?: number;
}

/** Budgets of training: from every one of {@link unseenBudgets} two tokens away or more. */
export const trainedBudgets: readonly number[] = [4, 8, 12, 16, 17, 18, 22, 23, 24, 25, 26, 30, 31, 32];

/** Budgets that are measured with alone. */
export const unseenBudgets: readonly number[] = [6, 10, 14, 20, 28];

/** Most tokens of a reply by default. */
export const budgetCeiling = 36;

/**
 * The budget stands in the prompt, another one each time; the grade is how near the reply's tokens come to it. Evaluations have
 * `rank_correlation`, Spearman's of budgets and spent tokens over single episodes.
 * @throws LaconicError `config_invalid` where a budget is both learned on and kept back
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
    throw new LaconicError("config_invalid", `a budget of ${both} is both in budgets and in unseenBudgets`, {
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
    across: (played) => ({ rank_correlation: followed(played) }),
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

/** 1 at the budget, falling to 0 at none of it and at twice as much. */
export function obedience(tokens: number, budget: number): number {
  return Math.max(0, 1 - Math.abs(tokens - budget) / budget);
}

/** Spearman's correlation of budgets and spent tokens, over single episodes. */
function followed(played: readonly Pick<RecordedEpisode, "problem" | "episode">[]): number {
  const spoken = played.filter(({ episode }) => episode.ledger.calls.length > 0);
  return rankCorrelation(
    spoken.map(({ problem }) => Number(problem.gold)),
    spoken.map(({ episode }) => episode.ledger.calls[0]?.writtenTokens ?? 0),
  );
}
