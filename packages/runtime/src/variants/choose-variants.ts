import { configError, LaconicError, nameHint } from "@laconic/core";
import { changesOf, isNamedObjective, type Change, type ObjectiveSettings, type TrainConfig } from "@laconic/trainer";
import { objectiveShape } from "@laconic/gspo/presets";
import type { Progress } from "../progress.ts";
import type { WrittenConfig } from "../resolver/load-config.ts";
import { applyOverrides, parseAppConfig, writtenConfig } from "../run/app-config.ts";
import { checkRun } from "../run/check-run.ts";
import type { AppConfig } from "../run/run-settings.ts";
import type { Variant } from "./run-variants.ts";
import { isReference } from "../resolver/reference.ts";

/** Variant that an ablation skips, with the reason. */
export interface SkippedVariant {
  readonly variant: string;
  readonly reason: string;
}

interface Choice {
  readonly variants: readonly Variant[];
  readonly skipped: readonly SkippedVariant[];
}

interface ChoiceOptions {
  readonly base: WrittenConfig;
  readonly fixed: readonly string[];
  /** Known variants. Default: all that apply. */
  readonly only?: readonly string[] | undefined;
  /** User variants; always trained. */
  readonly custom: readonly Variant[];
  /** Token price for fixed prices; null skips them. */
  readonly price: number | null;
  /** Whether user variants may change several factors. */
  readonly severalFactors?: boolean;
}

/**
 * Variants of an ablation. Skips a variant that changes nothing or that the run would refuse; refuses it if it was
 * requested.
 * @throws LaconicError `config_invalid`
 */
export async function chooseVariants(options: ChoiceOptions, progress: Progress): Promise<Choice> {
  const { base, fixed, only, custom, price, severalFactors = false } = options;
  const config = parseAppConfig(applyOverrides(base, fixed));
  const candidates = candidatesOf(config, price);
  const knownNames = [baseVariant, ...candidates.map(({ name }) => name)];
  const unknown = only?.find((name) => !knownNames.includes(name));
  if (unknown !== undefined) {
    const hint = `${nameHint(unknown, knownNames)}; write a custom one as NAME:key=value`;
    throw configError(`variant ${unknown} not found; ${hint}`, { variant: unknown });
  }
  const twice = custom.find(({ name }, i) => custom.findIndex((variant) => variant.name === name) !== i);
  if (twice) throw configError(`two variants are named ${twice.name}`, { variant: twice.name });
  const variants: Variant[] = [{ name: baseVariant, about: "the configuration as it is", overrides: [] }];
  const skipped: SkippedVariant[] = [];
  const asked = new Set([...(only ?? []), ...custom.map(({ name }) => name)]);
  for (const candidate of [...candidates.filter(({ name }) => !only || only.includes(name)), ...custom]) {
    const { reason, changed } = await triedOn(candidate, { config, base, fixed }, progress);
    if (reason === null) variants.push(alone(candidate as Variant, changed, severalFactors));
    else if (!asked.has(candidate.name)) skipped.push({ variant: candidate.name, reason });
    else throw configError(`variant ${candidate.name}: ${reason}`, { variant: candidate.name });
  }
  return { variants, skipped };
}

/** Refuses a variant that changes several factors, or describes them. */
function alone(variant: Variant, changes: readonly Change[], severalFactors: boolean): Variant {
  const factors = factorsOf(changes);
  if (factors.length < 2) return variant;
  if (severalFactors)
    return { ...variant, about: `${factors.map(({ name }) => name).join(" and ")} together: ${variant.about}` };
  throw configError(
    `variant ${variant.name} changes ${factors.length} factors: ${factorsText(factors)}; their effects cannot be separated. Change one, or add --several-factors`,
    { variant: variant.name, factors: factors.map(({ name }) => name).join(", ") },
  );
}

/** Changes of a variant, and the reason if it cannot be trained or equals the base. */
async function triedOn(
  candidate: Candidate,
  { config, base, fixed }: Pick<ChoiceOptions, "base" | "fixed"> & { readonly config: AppConfig },
  progress: Progress,
): Promise<{ readonly reason: string | null; readonly changed: readonly Change[] }> {
  if ("reason" in candidate) return { reason: candidate.reason, changed: [] };
  try {
    const varied = parseAppConfig(applyOverrides(base, [...fixed, ...candidate.overrides]));
    const changed = changesOf(writtenConfig(config), writtenConfig(varied));
    if (changed.length === 0) return { reason: "it changes nothing in this configuration", changed };
    await checkRun(varied, progress);
    return { reason: null, changed };
  } catch (error) {
    if (LaconicError.is(error) && ["config_invalid", "objective_refused"].includes(error.code))
      return { reason: error.message, changed: [] };
    throw error;
  }
}

/**
 * Factors by prefixes of their settings; the first match counts. Dependent settings are one factor: a clip range
 * depends on its ratios.
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

interface Factor {
  readonly name: string;
  readonly changes: readonly Change[];
}

/** Groups changes by factor; policies share the run's factors. A setting without a named factor is separate. */
export function factorsOf(changes: readonly Change[]): readonly Factor[] {
  const match = new Map<string, Change[]>();
  for (const change of changes) {
    const key = change.key.replace(/^train\.policies\.[^.]+\./u, "train.");
    // A setting of only one objective follows from its name.
    const isOfOne = key.startsWith("train.objective.") && [change.before, change.now].includes("nothing");
    const fitting = factors.filter(([name]) => !isOfOne || name !== "how losses are joined");
    const name = fitting.find(([, settings]) => settings.test(key))?.[0] ?? key.split(".").slice(0, 2).join(".");
    match.set(name, [...(match.get(name) ?? []), change]);
  }
  return Array.from(match, ([name, list]) => ({ name, changes: list }));
}

function factorsText(all: readonly Factor[]): string {
  return all
    .map(
      ({ name, changes }) =>
        `${name} (${changes.map(({ key, before, now }) => `${key}: ${before} -> ${now}`).join("; ")})`,
    )
    .join(", ");
}

type Candidate = Variant | { readonly name: string; readonly reason: string };

type Derived = Pick<Variant, "about" | "overrides"> | { readonly reason: string };

/** @param price - token price for fixed prices; null skips them */
type Derivation = (config: AppConfig, price: number | null) => Derived;

/** Overrides a setting of the run and of every policy with one. */
function everywhere<Key extends "objective" | "advantage" | "prices">(
  { train }: AppConfig,
  key: Key,
  valueOf: (before: TrainConfig[Key]) => object,
): string[] {
  return [
    `train.${key}=${JSON.stringify(valueOf(train[key]))}`,
    ...Object.keys(train.policies).flatMap((name) => {
      const before = (train.policies[name] as Partial<TrainConfig> | undefined)?.[key];
      return before === undefined ? [] : [`train.policies.${name}.${key}=${JSON.stringify(valueOf(before))}`];
    }),
  ];
}

const hasBudget = ({ train }: AppConfig): boolean => train.budget !== null || Object.keys(train.budgets).length > 0;

/** Without a budget, agents cannot see one. */
const budgetGone = ({ task, train }: AppConfig): string[] => [
  ...(train.budget === null ? [] : ["train.budget=null"]),
  ...(!isReference(task) && task.name === "benchmark" && task.showBudget === true ? ["task.showBudget=false"] : []),
];

const ofRunBudget =
  (name: string, derive: Derivation): Derivation =>
  (config, price) => {
    const [policy] = Object.entries(config.train.policies).find(([, { budget }]) => budget !== undefined) ?? [];
    if (policy === undefined) return derive(config, price);
    const reason = `policy ${policy} has its own budget; write the variant out, ${name}:train.policies=...`;
    return { reason };
  };

const noPrice: Derivation = (config) => {
  const { prices, policies } = config.train;
  const charged = [prices, ...Object.values(policies).map((value) => value.prices ?? {})].some((item) =>
    Object.values(item).some((price) => price > 0),
  );
  if (!charged && !hasBudget(config)) return { reason: "no cost has a price" };
  return {
    about: "λ = 0: no cost has a price",
    overrides: [...budgetGone(config), "train.budgets={}", ...everywhere(config, "prices", () => ({}))],
  };
};

/** Fixes the token price at a share of what the budget reaches. */
const fixedPrice =
  (share: number): Derivation =>
  (config, price) => {
    if (config.train.budget === null)
      return { reason: "the price of a token is already fixed: there is no token budget" };
    if (price === null) return { reason: "no price to derive it from; set one with --price" };
    const fixed = Number((share * price).toPrecision(6));
    return {
      about: `λ fixed at ${fixed}, ${share === 1 ? "" : `${share} times `}what Eq. 5 reaches`,
      overrides: [...budgetGone(config), `train.prices.tokens=${fixed}`],
    };
  };

const grpo: Derivation = (config) => {
  const { objective, minibatches, epochs, refreshOldPolicyEvery, asynchronous, ratioUnit, policies } = config.train;
  const before = isNamedObjective(objective) ? objective.name : "the configuration's objective";
  const onPolicy = minibatches === 1 && epochs === 1 && refreshOldPolicyEvery === 1 && asynchronous === null;
  const bare =
    ratioUnit === "message" &&
    Object.entries(objective).every(
      ([key, value]) => ["name", "clip"].includes(key) || (key === "minLength" && value === 1),
    );
  if (onPolicy && before === "gspo" && bare && Object.keys(policies).length === 0)
    return {
      reason:
        "with one update a batch every ratio is 1, where GRPO and GSPO have the same gradient; train.minibatches=2 tells them apart",
    };
  const retained = Object.keys(withGrpo(objective)).filter((key) => key !== "name" && key !== "clip");
  return {
    about: `GRPO's token ratios (clip 0.2) instead of ${before === "gspo" ? "GSPO" : before}${retained.length > 0 ? `; ${retained.join(", ")} as before` : ""}`,
    overrides: everywhere(config, "objective", withGrpo),
  };
};

/** GRPO with the objective's KL term, corrections and loss aggregation. A custom objective keeps nothing. */
function withGrpo(before: TrainConfig["objective"]): ObjectiveSettings {
  const clip = { low: 0.2, high: 0.2 };
  if (!isNamedObjective(before)) return { name: "grpo", clip };
  const takes = objectiveShape(before.name).fields;
  const keys: readonly string[] = [
    "kl",
    "importance",
    "offPolicyMask",
    ...("aggregation" in takes ? ["aggregation", "constantLength"] : []),
    // Caps on a clipped loss; CISPO's `maxRatio` limits its weight instead.
    ...("dualClip" in takes ? ["dualClip", "maxRatio"] : []),
  ];
  const retained = Object.entries(before).filter(([key]) => keys.includes(key));
  return { name: "grpo", clip, ...Object.fromEntries(retained) };
}

/** Eq. 2 of Agent-GSPO as printed. */
const eq2 = { estimator: "group", scale: "group", std: "sample", epsilon: 1e-6 } as const;

/** GRPO's coefficient (DeepSeekMath, section 4.2). */
const addedKl = { estimator: "k3", coefficient: 0.04 } as const;

const klTerm =
  (adds: boolean): Derivation =>
  ({ train: { objective, policies } }) => {
    const ownObjectives = Object.values(policies).some((value) => value.objective !== undefined);
    if (!isNamedObjective(objective) || ownObjectives)
      return { reason: "a custom objective defines its KL term itself" };
    const { kl, ...rest } = objective;
    if ((kl === undefined) !== adds)
      return { reason: `the objective has ${kl === undefined ? "no" : "a"} KL term already` };
    const { estimator, coefficient } = addedKl;
    return {
      about: adds ? `with a KL term to the first weights (${estimator}, ${coefficient})` : "without the KL term",
      overrides: [`train.objective=${JSON.stringify(adds ? { ...rest, kl: addedKl } : rest)}`],
    };
  };

/** Name of the unchanged configuration. */
export const baseVariant = "base";

const derivations: Readonly<Record<string, Derivation>> = {
  "no-price": ofRunBudget("no-price", noPrice),
  "fixed-price-half": ofRunBudget("fixed-price-half", fixedPrice(0.5)),
  "fixed-price": ofRunBudget("fixed-price", fixedPrice(1)),
  "fixed-price-double": ofRunBudget("fixed-price-double", fixedPrice(2)),
  "no-group-normalisation": (config) => ({
    about: "the raw reward instead of the group's normalisation (Eq. 2)",
    overrides: everywhere(config, "advantage", () => ({ estimator: "raw" })),
  }),
  "eq2-as-printed": (config) => ({
    about: "Eq. 2 with its division by the group's deviation",
    overrides: everywhere(config, "advantage", () => eq2),
  }),
  grpo,
  kl: klTerm(true),
  "no-kl": klTerm(false),
};

/** Names in the order of tables. */
export const knownVariants: readonly string[] = Object.keys(derivations);

/**
 * Known variants, or the reasons why they do not apply.
 * @param price - token price for fixed prices; null skips them
 */
export function candidatesOf(config: AppConfig, price: number | null): readonly Candidate[] {
  return Object.entries(derivations).map(([name, derive]) => ({ name, ...derive(config, price) }));
}
