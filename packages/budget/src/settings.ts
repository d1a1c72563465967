import { LaconicError } from "@laconic/core";
import { budgetOptionsSchema, type BudgetOptions, type GuardOptions } from "./options.ts";

/** Every option with its value; null is none. */
export interface BudgetSettings extends Required<Omit<BudgetOptions, "maxPrice" | "guard">> {
  readonly maxPrice: number | null;
  readonly guard: GuardOptions | null;
}

/**
 * Checks options and fills in what is left out.
 *
 * @throws LaconicError `config_invalid` naming the key: unknown, out of range, contradictory, or without effect.
 */
export function resolveSettings(options: BudgetOptions): BudgetSettings {
  const parsed = budgetOptionsSchema.safeParse(options);
  const issue = parsed.error?.issues[0];
  if (issue) {
    const unknown = issue.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
    refuse([...issue.path, ...unknown].join("."), issue.message);
  }
  for (const [key, reason] of contradictions(options)) if (reason !== null) refuse(key, reason);
  return {
    unit: "token",
    initialPrice: 0,
    maxPrice: null,
    warmupIterations: 0,
    warmupPrice: 0,
    annealIterations: 0,
    antiWindup: true,
    truncationTolerance: 0.1,
    proportionalGain: 0,
    derivativeGain: 0,
    derivativeSmoothing: 0,
    guard: null,
    ...options,
  };
}

function refuse(key: string, reason: string): never {
  throw new LaconicError("config_invalid", `budget.${key}: ${reason}`, { key: `budget.${key}` });
}

function contradictions(options: BudgetOptions): [key: string, reason: string | null][] {
  const { maxPrice = Infinity, initialPrice = 0, warmupPrice = 0, guard } = options;
  const warm = (options.warmupIterations ?? 0) > 0;
  const when = (wrong: boolean, reason: string): string | null => (wrong ? reason : null);
  return [
    ["initialPrice", when(initialPrice > maxPrice, `${initialPrice} is above maxPrice, ${maxPrice}`)],
    ["warmupPrice", when(warmupPrice > maxPrice, `${warmupPrice} is above maxPrice, ${maxPrice}`)],
    [
      "warmupPrice",
      when(options.warmupPrice !== undefined && !warm, "has no effect without warmupIterations; add them or remove it"),
    ],
    [
      "annealIterations",
      when(
        (options.annealIterations ?? 0) > 0 && !warm,
        "the target falls from the cost measured in warm-up; add warmupIterations",
      ),
    ],
    [
      "truncationTolerance",
      when(
        options.truncationTolerance !== undefined && options.antiWindup === false,
        "has no effect without antiWindup; remove one of them",
      ),
    ],
    [
      "derivativeSmoothing",
      when(
        options.derivativeSmoothing !== undefined && !options.derivativeGain,
        "has no effect without derivativeGain; add a gain or remove it",
      ),
    ],
    [
      "guard",
      when(
        guard !== undefined && guard.rewardTolerance === undefined && guard.maxSilenceRate === undefined,
        "never acts; set rewardTolerance, maxSilenceRate or both",
      ),
    ],
    [
      "guard.rewardTolerance",
      when(
        guard?.rewardTolerance !== undefined && guard.referenceReward === undefined && !warm,
        "has no reference; add warmupIterations to measure one, or set guard.referenceReward",
      ),
    ],
    [
      "guard.referenceReward",
      when(
        guard?.referenceReward !== undefined && guard.rewardTolerance === undefined,
        "has no effect without guard.rewardTolerance",
      ),
    ],
    [
      "guard.lowerBy",
      when(guard?.lowerBy !== undefined && guard.action === "freeze", `has no effect with action "freeze"`),
    ],
  ];
}
