/**
 * Supervised warm starts of the story worlds: what a model learns before its team trains, in Node and in browsers.
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
  /** Examples per step. */
  readonly batch: number;
  /** Seed of the examples; the run's by default. */
  readonly seed: string;
  /** The model before the warm start. A run fills it in; its `model` is then the taught one. */
  readonly model?: string;
}

/** A warm start on examples that a world makes. */
export interface WorldWarmStart extends WarmStartSteps {
  /** `copying`: a story model learns to copy names, most of them made up; `owners`: to name the owner of the asked thing; `budgets`: to keep to a budget in the prompt. */
  readonly name: "copying" | "owners" | "budgets";
  /** Of `budgets`: how a budget is stated, as in the task. Default `unary`. */
  readonly form?: BudgetForm;
  /** Of `owners`: which examples are silent. Default `chance`. */
  readonly silence?: TaughtSilence;
}

/** The examples of a world's warm start, in the order that its seed gives. */
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
