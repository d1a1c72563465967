import { solo } from "@laconic/topologies";
import type { TeamTask } from "../task.ts";
import { storyOf } from "./teller-team.ts";
import { storyAgent } from "./story-agent.ts";
import { storyProblems } from "./story-problems.ts";

/** Size of the world. */
export interface StoryBudgetOptions {
  /** Of the story model. */
  readonly tokenizer: TeamTask["tokenizer"];
  /** Budgets that are learned on, in tokens. */
  readonly budgets?: readonly number[];
  /** Budgets that are measured with, and never learned on. */
  readonly unseenBudgets?: readonly number[];
  /** How a budget is said. Default `unary`: one "very" for two tokens of it; `digits` says "Tell it in 14 words". */
  readonly form?: "unary" | "digits";
  /** Most tokens of the reply. Default 36. */
  readonly replyTokens?: number;
  /** Held-out problems; 200 when absent. */
  readonly heldOut?: number;
}

/** Tokens of budget that one word of the prompt stands for. */
const tokensPerWord = 2;

const forms = {
  unary: (budget: number) => `It was a very${" very".repeat(Math.max(0, Math.round(budget / tokensPerWord) - 1))}.`,
  digits: (budget: number) => `Tell it in ${budget} words.`,
} as const;

/** The budget stands in the prompt, another one each time; the grade is how near the reply's tokens come to it. */
export function storyBudgetTask({
  tokenizer,
  budgets = [4, 8, 12, 16, 24, 32],
  unseenBudgets = [6, 10, 14, 20, 28],
  form = "unary",
  replyTokens = 36,
  heldOut = 200,
}: StoryBudgetOptions): TeamTask {
  return {
    name: "story-budget",
    topology: solo(
      storyAgent("writer", "writer", replyTokens, ({ question }) => question),
      "story-budget",
    ),
    tokenizer,
    reward: ({ ledger }, { gold }) => ({ task: obedience(ledger.calls[0]?.writtenTokens ?? 0, Number(gold)) }),
    ...storyProblems("story-budget", heldOut, (child, random, split) => {
      const budget = random.pick(split === "train" ? budgets : unseenBudgets);
      return {
        id: `story-budget:${child.name}/${child.thing}/${budget}`,
        question: `${storyOf(child)} ${forms[form](budget)}`,
        gold: String(budget),
      };
    }),
  };
}

/** 1 at the budget, falling to 0 at none of it and at twice as much. */
export function obedience(tokens: number, budget: number): number {
  return Math.max(0, 1 - Math.abs(tokens - budget) / budget);
}
