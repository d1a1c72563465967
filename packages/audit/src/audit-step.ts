import type { Numbers } from "./rules/numbers.ts";
import { auditPolicy } from "./policy/audit-policy.ts";
import { checkEpisode, checkGrade, checkGroups, checkStepRewards } from "./check-episodes.ts";
import type { Findings } from "./findings.ts";
import { judge } from "./policy/judge.ts";
import type { StepContext } from "./memory.ts";
import { auditOpponents } from "./audit-opponents.ts";
import { budgetsOf, firstPrice, nextPrice, ownBudgetsOf, usedOf } from "./rules/prices.ts";
import type { AuditedStep } from "./folder/record.ts";
import type { BudgetFacts, Judged, StepFacts } from "./step-facts.ts";

/** Everything of a step but its weights: episodes, grades, rewards, prices, advantages, losses. */
export function auditStep(context: StepContext, step: AuditedStep): StepFacts {
  const { train, findings, memory, grade } = context;
  forgetBudgets(context);
  const prices = teamPrices(context, step);
  const judged = judge(context, step, train, prices, null);
  for (const { place, episode, problem } of judged) {
    checkEpisode(findings, place, episode, problem);
    checkGrade(findings, place, grade, episode, problem);
    checkStepRewards(findings, place, episode);
  }
  checkGroups(findings, step, train);
  compareRewards(findings, judged);
  auditOpponents(context, step, judged);
  const policies = Object.entries(step.policies).map(([name, row]) =>
    auditPolicy(context, step, { name, row, judged, team: prices }),
  );
  const budgets = Object.fromEntries(
    Object.entries(budgetsOf(train)).map(([cost, settings]): [string, BudgetFacts] => {
      const state = memory.prices.get(cost) ?? firstPrice(settings);
      const { state: next, facts } = nextPrice(settings, state, usedOf(cost, judged));
      memory.prices.set(cost, next);
      return [cost, { settings, facts, next }];
    }),
  );
  return { step, judged, prices, budgets, policies, rivals: memory.rivals ?? null, findings };
}

/** A budget that was taken away begins anew when it is set again. */
function forgetBudgets({ train, memory }: StepContext): void {
  const known = new Set([
    ...Object.keys(budgetsOf(train)),
    ...Object.entries(train.policies).flatMap(([name, { budget }]) => (budget ? [`policy ${name}`] : [])),
  ]);
  for (const name of memory.prices.keys()) if (!known.has(name)) memory.prices.delete(name);
}

/** λ of this step: what Eq. 5 made of the steps before, or what the settings fix. */
function teamPrices({ train, memory, findings }: StepContext, step: AuditedStep): Numbers {
  const prices: Record<string, number> = { tokens: 0, ...train.prices };
  for (const [cost, settings] of Object.entries(budgetsOf(train)))
    prices[cost] = memory.isWhole
      ? (memory.prices.get(cost) ?? firstPrice(settings)).price
      : (step.prices[cost] ?? Number.NaN);
  for (const cost of ownBudgetsOf(train)) {
    findings.leaveOut(`price of ${cost}`, "its budget is user-defined; recorded prices are taken");
    prices[cost] = step.prices[cost] ?? Number.NaN;
  }
  for (const [cost, price] of Object.entries(prices))
    findings.number("price", { step: step.step }, `λ of ${cost}`, price, step.prices[cost]);
  return prices;
}

function compareRewards(findings: Findings, judged: readonly Judged[]): void {
  for (const { row, place, own, credit } of judged) {
    for (const [name, units] of Object.entries(own.costs))
      findings.number("reward", place, `cost ${name}`, units, row.costs[name]);
    for (const [name, value] of Object.entries(own.terms))
      findings.number("reward", place, `term ${name}`, value, row.terms[name]);
    findings.number("reward", place, "reward", own.reward, row.reward);
    for (const [turn, value] of credit ?? []) {
      const found = row.credit?.find(([at]) => at === turn)?.[1];
      findings.number("reward", { ...place, turn }, "credit", value, found);
    }
  }
}
