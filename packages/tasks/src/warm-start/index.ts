/**
 * Supervised warm starts of the story worlds, in Node and browsers.
 * @module @laconic/tasks/warm-start
 */
import type { BudgetForm } from "../stories/budget.ts";
import { keepingBudgets } from "./budgets.ts";
import { copying } from "./copying.ts";
import type { Course } from "./course.ts";
import { owners, type TaughtSilence } from "./owners.ts";

export type { Course, ExampleSource } from "./course.ts";
export { beforeWarmStartKey, giveWarmStart, measureBefore, warmStartText } from "./give-warm-start.ts";
export type { MeasuredRun, WarmStartPupil } from "./give-warm-start.ts";

/** Steps of a supervised warm start. */
export interface WarmStartSteps {
  readonly steps: number;
  readonly batch: number;
  /** Seed of the examples. Default: the run's. */
  readonly seed: string;
  /** Model before the warm start, filled in by the run; its `model` is the result. */
  readonly model?: string;
}

/** Warm start on a world's examples. */
export interface WorldWarmStart extends WarmStartSteps {
  /** Lesson: `copying` names, mostly made-up ones, naming `owners`, or keeping the prompt's `budgets`. */
  readonly name: "copying" | "owners" | "budgets";
  /** `budgets` only: form of the budget, as in the task. Default `unary`. */
  readonly form?: BudgetForm;
  /** `owners` only: which examples are silent. Default `chance`. */
  readonly silence?: TaughtSilence;
}

/** Examples of a world's warm start, in the seed's order. */
export function worldCourse({ name, seed, form, silence }: WorldWarmStart): Course {
  switch (name) {
    case "copying":
      return copying(seed);
    case "owners":
      return owners(seed, silence);
    case "budgets":
      return keepingBudgets(seed, form);
  }
}
