import type { BudgetDiagnostics } from "@laconic/budget";
import type { LoopState } from "../run/checkpoint.ts";
import { moveBudget, type LearnerResult } from "../stages/learner.ts";
import type { ScoredRollout } from "../stages/score.ts";
import { byPolicy } from "./by-policy.ts";
import type { TrainingRun } from "./training-run.ts";

/** A step further, and how its budgets were kept. */
export interface Moved {
  readonly state: LoopState;
  /** Of the team's budgets, by cost. */
  readonly budgets: Readonly<Record<string, BudgetDiagnostics>>;
}

/** Line 12: moves λ by Eq. 5, of the team and of policies that pay for themselves. The step is done then. */
export function moveBudgets(
  { budget }: TrainingRun,
  state: LoopState,
  scored: readonly ScoredRollout[],
  results: readonly LearnerResult[],
): Moved {
  const { states, diagnostics } = budget.step(state.budgets, scored);
  return {
    budgets: diagnostics,
    state: {
      ...state,
      step: state.step + 1,
      budgets: states,
      policyBudgets: byPolicy(
        results.map((each) => [each.learner.name, moveBudget(each, state.policyBudgets[each.learner.name] ?? null)]),
      ),
      estimators: byPolicy(results.map(({ learner, batch }) => [learner.name, batch.estimatorState])),
    },
  };
}
