import { checkShape, fillDefaults, refuseSetting } from "@laconic/core";
import { budgetOptionsShape, type BudgetOptions, type GuardOptions } from "./options.ts";

/** All options; null if off. */
export interface BudgetSettings extends Required<Omit<BudgetOptions, "maxPrice" | "guard">> {
  readonly maxPrice: number | null;
  readonly guard: GuardOptions | null;
}

/** @throws LaconicError `config_invalid` */
export function resolveSettings(options: BudgetOptions): BudgetSettings {
  checkShape(budgetOptionsShape, options, "budget");
  for (const [key, match, reason] of contradictions(options)) if (match) refuse(key, reason);
  const inert = { warmupPrice: 0, truncationTolerance: 0.1, derivativeSmoothing: 0 };
  return { ...inert, maxPrice: null, guard: null, ...fillDefaults(budgetOptionsShape, options) } as BudgetSettings;
}

function refuse(key: string, reason: string): never {
  refuseSetting(`budget.${key}`, reason);
}

function contradictions(options: BudgetOptions): [key: string, found: boolean, reason: string][] {
  const { maxPrice = Infinity, initialPrice = 0, warmupPrice = 0, annealIterations = 0, guard } = options;
  const cold = (options.warmupIterations ?? 0) === 0;
  const isUnused = "has no effect";
  return [
    ["initialPrice", initialPrice > maxPrice, `${initialPrice} is above maxPrice, ${maxPrice}`],
    ["warmupPrice", warmupPrice > maxPrice, `${warmupPrice} is above maxPrice, ${maxPrice}`],
    ["warmupPrice", given(options.warmupPrice) && cold, `${isUnused} without warmupIterations`],
    ["annealIterations", annealIterations > 0 && cold, "need warmupIterations, which measure where the target starts"],
    [
      "truncationTolerance",
      given(options.truncationTolerance) && options.antiWindup === false,
      `${isUnused} without antiWindup`,
    ],
    [
      "derivativeSmoothing",
      given(options.derivativeSmoothing) && !options.derivativeGain,
      `${isUnused} without derivativeGain`,
    ],
    [
      "guard",
      given(guard) && !given(guard?.rewardTolerance) && !given(guard?.maxSilenceRate),
      "never acts; set rewardTolerance, maxSilenceRate or both",
    ],
    [
      "guard.rewardTolerance",
      given(guard?.rewardTolerance) && !given(guard?.referenceReward) && cold,
      "has no reference; measure one with warmupIterations or set guard.referenceReward",
    ],
    [
      "guard.referenceReward",
      given(guard?.referenceReward) && !given(guard?.rewardTolerance),
      `${isUnused} without guard.rewardTolerance`,
    ],
    ["guard.lowerBy", given(guard?.lowerBy) && guard?.action === "freeze", `${isUnused} with action "freeze"`],
  ];
}

const given = (value: unknown) => value !== undefined;
