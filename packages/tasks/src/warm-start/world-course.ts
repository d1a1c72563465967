import type { BudgetForm } from "../stories/budget-forms.ts";
import type { TaughtSilence } from "../stories/owner-examples.ts";
import { copying } from "./copying.ts";
import type { Course } from "./course.ts";
import { keepingBudgets } from "./keeping-budgets.ts";
import { owners } from "./owners.ts";

/** Steps of a supervised warm start, and which examples it has. */
export interface WarmStartSteps {
  readonly steps: number;
  /** Examples of a step. */
  readonly batch: number;
  /** Of the examples; the run's own by default. */
  readonly seed: string;
  /** The model as it was before: a run fills it in, and `model` is then the taught one. */
  readonly model?: string;
}

/** A warm start on examples that a world makes. */
export interface WorldWarmStart extends WarmStartSteps {
  /** `copying`: a story model learns to copy names, most of them made up; `owners`: to name who owns what is asked; `budgets`: to keep to a budget in the prompt. */
  readonly name: "copying" | "owners" | "budgets";
  /** Of `budgets`: how one is said, as in the task; `unary` when absent. */
  readonly form?: BudgetForm;
  /** Of `owners`: whose silence examples have; `chance` when absent. */
  readonly silence?: TaughtSilence;
}

/** The examples of a world's warm start, in the order that its seed says. */
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
