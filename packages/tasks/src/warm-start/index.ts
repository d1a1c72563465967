/**
 * Supervised warm starts of the story worlds.
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
  /** Default: the run's. */
  readonly seed: string;
  /** Filled in by the run. */
  readonly model?: string;
}

/** Warm start on a world's examples. */
export interface WorldWarmStart extends WarmStartSteps {
  /** `copying` names, naming `owners`, or keeping the prompt's `budgets`. */
  readonly name: "copying" | "owners" | "budgets";
  /** Form of `budgets`, as in the task. Default `unary`. */
  readonly form?: BudgetForm;
  /** Silent examples of `owners`. Default `chance`. */
  readonly silence?: TaughtSilence;
}

/** Examples in the seed's order. */
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
