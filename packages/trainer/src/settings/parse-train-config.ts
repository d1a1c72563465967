import * as z from "zod";
import { fillDefaults, isRecord, nearestName, refuseSetting, mapValues } from "@laconic/core";
import { samplingParameters } from "@laconic/core/backends";
import { budgetOptionsShape, dualController } from "@laconic/budget";
import { issueWords } from "@laconic/core/schemas";
import { estimatorShape, objectiveShape } from "@laconic/gspo/presets";
import { costPreset, decoupledShape } from "@laconic/rewards";
import type { GroupKey, RatioUnit } from "@laconic/gspo";
import { agentGspoDefaults, asynchronousDefaults, opponentDefaults, supervisedDefaults } from "./config.ts";
import type { PolicySettings, TrainConfig } from "./config.ts";
import {
  estimatorOf,
  isNamedBudget,
  isNamedCost,
  isNamedEstimator,
  isNamedObjective,
  objectiveOf,
  sharesReward,
  importanceOf,
  isNamedRate,
} from "./named.ts";
import { expandPlainForms, trainConfigSchema } from "./schema.ts";
import { isValueSource, presentSchema } from "./values.ts";

/**
 * Fills defaults from {@link agentGspoDefaults} and checks the result.
 * @param location - path in a larger configuration, for messages
 * @param nearest - suggests a setting for a misplaced name
 * @throws LaconicError `config_invalid` naming the key, with the nearest known one
 */
export function parseTrainConfig(
  partial: unknown,
  location: readonly string[] = [],
  nearest: (name: string) => string | undefined = () => undefined,
): TrainConfig {
  const input = withDefaults(expandPlainForms(trainConfigSchema, partial));
  const parsed = trainConfigSchema.safeParse(input, { error: issueWords });
  if (!parsed.success) refuseIssues(parsed.error.issues, location, input, nearest);
  checkCombinations(parsed.data, location);
  checkNamed(parsed.data);
  return resolved(parsed.data);
}

function resolved(config: TrainConfig): TrainConfig {
  const { policies, budgets, sampling } = config;
  return {
    ...config,
    ...resolvedParts(config),
    sampling: fillDefaults({ fields: samplingParameters }, sampling),
    policies: mapValues(policies, (policySettings) => ({ ...policySettings, ...resolvedParts(policySettings) })),
    budgets: mapValues(budgets, resolvedBudget),
  };
}

type Parts = Pick<PolicySettings, "objective" | "advantage"> & { readonly budget?: TrainConfig["budget"] };

function resolvedParts<P extends Parts>({ objective, advantage, budget }: P): Partial<P> {
  const parts: Parts = {
    ...(isNamedObjective(objective) && { objective: fillDefaults(objectiveShape(objective.name), objective) }),
    ...(isNamedEstimator(advantage) && {
      advantage: fillDefaults(
        advantage.estimator === "decoupled" ? decoupledShape : estimatorShape(advantage.estimator),
        advantage,
      ),
    }),
    ...(budget && { budget: resolvedBudget(budget) }),
  };
  return parts as Partial<P>;
}

function resolvedBudget(budget: NonNullable<TrainConfig["budget"]>): NonNullable<TrainConfig["budget"]> {
  return isNamedBudget(budget) ? fillDefaults(budgetOptionsShape, budget) : budget;
}

const { optimizer, evaluation, checkpoint, scoring, divergence } = agentGspoDefaults;

/** Groups filled key by key. Defaults of one alternative must not leak into another. */
const filled: Readonly<Record<string, object | null>> = {
  optimizer,
  evaluation,
  checkpoint,
  scoring,
  divergence,
  asynchronous: asynchronousDefaults,
  opponents: opponentDefaults,
  supervised: supervisedDefaults,
};

/** Merges settings over the defaults as own properties, so that no key reaches a prototype. */
function withDefaults(written: unknown): unknown {
  if (written === undefined) return agentGspoDefaults;
  if (!isRecord(written)) return written;
  const merged = Object.entries(written)
    .filter(([key, value]) => value !== undefined && !(key === "opponents" && value === null))
    .map(([key, value]) => [key, Object.hasOwn(filled, key) ? laidOver(filled[key], value) : value] as const);
  return Object.fromEntries([...Object.entries(agentGspoDefaults), ...merged]);
}

function laidOver(defaults: unknown, written: unknown): unknown {
  if (written === undefined) return defaults;
  if (!isRecord(defaults) || !isRecord(written) || isValueSource(written)) return written;
  const merged = Object.entries(written).map(([key, value]) => {
    const initial = Object.hasOwn(defaults, key) ? defaults[key] : undefined;
    return [key, laidOver(initial, value)] as const;
  });
  return Object.fromEntries([...Object.entries(defaults), ...merged]);
}

function refuseIssues(
  issues: readonly z.core.$ZodIssue[],
  location: readonly string[],
  input: unknown,
  nearest: (name: string) => string | undefined,
): never {
  const all = issues.flatMap(issuesOfNamed);
  const stray = all.find((issue) => issue.code === "unrecognized_keys");
  const issue = stray ?? all[0]!;
  const path = issue.path.map(String);
  const keyOf = (name: string): string => [...location, ...path, name].join(".");
  if (!stray) return refuseSetting([...location, ...path].join("."), issue.message);
  const name = stray.keys[0]!;
  const keys = keysAt(trainConfigSchema, path, input);
  const nearHere = nearestName(name, keys);
  const near = nearHere === undefined ? nearest(name) : keyOf(nearHere);
  const hint = near === undefined ? `use one of: ${keys.join(", ")}` : `did you mean ${near}?`;
  return refuseSetting(keyOf(name), `unknown setting; ${hint}`);
}

function issuesOfNamed(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union" || issue.errors[0]?.[0]?.code !== "custom") return [issue];
  const named = issue.errors.at(-1);
  return named?.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })) ?? [issue];
}

function keysAt(schema: z.core.$ZodType, path: readonly string[], input: unknown): string[] {
  const present = presentSchema(schema);
  if (present instanceof z.ZodUnion) {
    const meant = present.options.filter((option) => isMeant(option, input));
    const options = meant.length > 0 ? meant : present.options;
    return [...new Set(options.flatMap((option) => keysAt(option, path, input)))];
  }
  const [key, ...rest] = path;
  const fields: Readonly<Record<string, z.core.$ZodType>> = present instanceof z.ZodObject ? present.shape : {};
  if (key === undefined) return Object.keys(fields);
  const inner = present instanceof z.ZodRecord ? present.valueType : fields[key];
  return inner ? keysAt(inner, rest, isRecord(input) ? input[key] : undefined) : [];
}

/** True if the alternative's literal fields match. */
function isMeant(option: z.core.$ZodType, input: unknown): boolean {
  if (!(option instanceof z.ZodObject) || !isRecord(input)) return false;
  const names = Object.entries(option.shape).filter(([, field]) => field instanceof z.ZodLiteral);
  return names.length > 0 && names.every(([key, field]) => (field as z.ZodLiteral).safeParse(input[key]).success);
}

function checkNamed(config: TrainConfig): void {
  if (isNamedObjective(config.objective)) objectiveOf(config.objective);
  if (isNamedEstimator(config.advantage)) estimatorOf(config);
  for (const budget of [config.budget, ...Object.values(config.budgets)])
    if (isNamedBudget(budget)) dualController(budget);
  for (const [name, cost] of Object.entries(config.costs ?? {}))
    if (isNamedCost(cost)) costPreset(cost, `costs.${name}`);
}

/** Ratio units whose messages have different advantages, by grouping key. */
const ratioUnitsThatMix: Partial<Record<GroupKey, readonly RatioUnit[]>> = {
  "prompt+agent": ["joint"],
  "prompt+agent+turn": ["trajectory", "joint"],
  "tree-node": ["trajectory", "joint"],
};

/**
 * Rejects incompatible or ineffective settings.
 * @param location - as in `parseTrainConfig`
 * @throws LaconicError `config_invalid` naming the key
 */
function checkCombinations(config: TrainConfig, location: readonly string[]): void {
  const refuse = (key: string, reason: string): never => refuseSetting([...location, key].join("."), reason);
  const sequences = config.problemsPerStep * config.episodesPerProblem;
  if (config.minibatches > sequences) refuse("minibatches", `${config.minibatches} parts of ${sequences} episodes`);
  const { advantage } = config;
  if (config.episodesPerProblem === 1 && isNamedEstimator(advantage) && advantage.estimator !== "raw")
    refuse("episodesPerProblem", "a group of one has advantage 0; use at least 2, or advantage.estimator raw");
  for (const cost of [...(config.budget ? ["tokens"] : []), ...Object.keys(config.budgets)])
    if (Object.hasOwn(config.prices, cost))
      refuse(`prices.${cost}`, "has no effect with a budget, which sets this price; remove one");
  if (config.budget && Object.hasOwn(config.budgets, "tokens"))
    refuse("budgets.tokens", "is also set by budget; remove one");
  if (config.checkpoint.every % config.refreshOldPolicyEvery !== 0)
    refuse(
      "checkpoint.every",
      `must be a multiple of refreshOldPolicyEvery (${config.refreshOldPolicyEvery}): the old policy is not stored`,
    );
  const { learningRate } = config.optimizer;
  if (isNamedRate(learningRate)) {
    const { decay, finalFraction } = learningRate;
    if (decay === "constant" && finalFraction !== 1)
      refuse("optimizer.learningRate.finalFraction", "has no effect without a decay; set decay to linear or cosine");
    if (decay !== "constant" && finalFraction === 1)
      refuse("optimizer.learningRate.decay", `${decay} to the whole peak has no effect; set finalFraction below 1`);
  }
  const groupBy = typeof config.groupBy === "string" ? config.groupBy : "prompt+agent+turn";
  const mixed = typeof config.groupBy === "string" ? ratioUnitsThatMix[groupBy] : undefined;
  if (mixed?.includes(config.ratioUnit))
    refuse(
      "ratioUnit",
      `${config.ratioUnit} joins messages that groupBy ${groupBy} gives different advantages; use ${config.tree ? "ratioUnit message or turn" : "groupBy prompt"}`,
    );
  checkTrees(config, refuse);
  if (!sharesReward(config) && !groupBy.includes("agent"))
    refuse("credit", "agents get different rewards; group by prompt+agent or prompt+agent+turn");
  if (!sharesReward(config) && isNamedEstimator(advantage) && advantage.estimator === "decoupled")
    refuse("credit", "decoupled advantages need whole episodes; use another estimator");
  checkAsynchronous(config, refuse);
  if (importanceOf(config) !== undefined) checkImportanceSource(config, refuse);
  if (config.earlyStopping && config.evaluation.every === 0)
    refuse("earlyStopping", "watches evaluations; set evaluation.every above 0");
}

type Refuse = (key: string, reason: string) => never;

function checkAsynchronous(config: TrainConfig, refuse: Refuse): void {
  const { asynchronous, problemsPerStep } = config;
  if (!asynchronous) return;
  const { activeGroups, maxLag } = asynchronous;
  if (config.refreshOldPolicyEvery > 1)
    refuse("asynchronous", "has its own old policies; leave refreshOldPolicyEvery at 1");
  if (config.oldLogProbs === "sampler")
    refuse("oldLogProbs", "the sampler has older weights in an asynchronous run; use recompute");
  const most = (maxLag + 1) * problemsPerStep;
  if ((activeGroups ?? 0) > most)
    refuse(
      "asynchronous.activeGroups",
      `is ${activeGroups}, but maxLag ${maxLag} allows ${most}: (maxLag + 1) * problemsPerStep; null takes problemsPerStep + 1`,
    );
}

/** Allows one correction for the sampler, and none if the ratio already corrects. */
function checkImportanceSource({ asynchronous, oldLogProbs }: TrainConfig, refuse: Refuse): void {
  if (asynchronous)
    refuse("objective.importance", "asynchronous.importanceCap already weighs older samples; remove one");
  if (oldLogProbs === "sampler")
    refuse("objective.importance", "with oldLogProbs sampler the ratio itself corrects; set oldLogProbs to recompute");
}

function checkTrees(config: TrainConfig, refuse: Refuse): void {
  if ((config.groupBy === "tree-node") !== (config.tree !== null))
    refuse("groupBy", "tree-node needs rollout trees: set it together with `tree`");
  if (!config.tree) return;
  const { advantage } = config;
  if (!isNamedEstimator(advantage) || advantage.estimator !== "group" || advantage.scale !== "none")
    refuse("advantage", "a tree's advantage is the return less its siblings' mean: group with scale none");
  if (!sharesReward(config)) refuse("credit", "a tree gives each reply its own return; use shared");
}
