import type { Change } from "@laconic/trainer";

/**
 * Parts of a configuration that an ablation varies one at a time, by the beginnings of their settings, the first that fits. What cannot
 * vary alone is one factor: a clip range belongs to its ratios, whose scale it is on.
 */
const factors: readonly (readonly [name: string, settings: RegExp])[] = [
  ["price", /^(?:train\.(?:budgets?|prices|budgetPolicy)|task\.showBudget)\b/u],
  ["advantages", /^train\.advantage\b/u],
  ["KL term", /^train\.objective\.kl\b/u],
  ["correction for the sampler", /^train\.objective\.importance\b/u],
  ["mask of off-policy tokens", /^train\.objective\.offPolicyMask\b/u],
  ["how losses are joined", /^train\.objective\.(?:aggregation|constantLength)\b/u],
  ["ratios and their bounds", /^train\.objective\b/u],
  ["learning rate", /^train\.optimizer\.learningRate\b/u],
];

/** What of a configuration varies, and by which settings. */
export interface Factor {
  readonly name: string;
  readonly changes: readonly Change[];
}

/** The factors that changes are of. A policy's own setting is of the factor of the run's; what has no name is a factor by itself. */
export function factorsOf(changes: readonly Change[]): readonly Factor[] {
  const found = new Map<string, Change[]>();
  for (const change of changes) {
    const key = change.key.replace(/^train\.policies\.[^.]+\./u, "train.");
    // A setting that one of two objectives has comes with its name.
    const isOfOne = key.startsWith("train.objective.") && [change.before, change.now].includes("nothing");
    const fitting = factors.filter(([name]) => !isOfOne || name !== "how losses are joined");
    const name = fitting.find(([, settings]) => settings.test(key))?.[0] ?? key.split(".").slice(0, 2).join(".");
    found.set(name, [...(found.get(name) ?? []), change]);
  }
  return Array.from(found, ([name, own]) => ({ name, changes: own }));
}

/** Factors with their settings, in words. */
export function factorsText(all: readonly Factor[]): string {
  return all
    .map(
      ({ name, changes }) =>
        `${name} (${changes.map(({ key, before, now }) => `${key}: ${before} -> ${now}`).join("; ")})`,
    )
    .join(", ");
}
