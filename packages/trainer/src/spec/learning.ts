import { refuseSetting, mapValues } from "@laconic/core";
import type {
  AgentId,
  Curriculum,
  Estimator,
  Grouping,
  GroupReward,
  Matchmaking,
  Objective,
  PolicyNeed,
  PoolMember,
  Schedule,
  StoppingRule,
} from "@laconic/core";
import type { GroupKey } from "@laconic/gspo";
import type { Costs } from "@laconic/rewards";
import type { TrainConfig } from "../settings/config.ts";
import { costsOf, estimatorOf, objectiveOf, rateOf, temperatureOf, valueIn } from "../settings/named.ts";
import type { PolicyOutline, TrainedPolicy } from "./parts.ts";
import { controllerOf, type PricedController } from "./price-controllers.ts";

/** Policy with resolved settings. */
export interface Learner<Policy = TrainedPolicy> {
  readonly name: string;
  readonly policy: Policy;
  readonly agents: ReadonlySet<AgentId>;
  readonly config: TrainConfig;
  readonly objective: Objective;
  readonly estimator: Estimator;
  /** Rows of the estimator's batch. */
  readonly groupBy: GroupKey;
  /** Custom grouping; null for `groupBy`. */
  readonly grouping: Grouping | null;
  /** Rate over optimizer steps. */
  readonly learningRate: Schedule;
  readonly costs: Costs;
  /** Eq. 5 over the policy's tokens; null for the team's price. */
  readonly controller: PricedController | null;
  /** Whether rewards charge only the tokens of its agents. */
  readonly hasOwnBudget: boolean;
}

export interface Learning<Policy = TrainedPolicy> {
  readonly config: TrainConfig;
  readonly learners: readonly Learner<Policy>[];
  readonly costs: Costs;
  readonly budgets: Readonly<Record<string, PricedController>>;
  readonly temperature: Schedule;
  readonly groupReward: GroupReward | null;
  /** Custom rule; null for the settings' patience. */
  readonly stopping: StoppingRule | null;
  readonly curriculum: Curriculum | null;
  readonly matchmaking: Matchmaking;
}

/** @throws LaconicError `config_invalid` for settings of an unknown policy, or rejected by a value */
export function learningOf<Policy extends PolicyOutline>(
  { policies }: { readonly policies: Readonly<Record<string, Policy>> },
  config: TrainConfig,
): Learning<Policy> {
  const { budget, budgets, curriculum, earlyStopping, groupReward, opponents } = config;
  const costs = costsOf(config);
  const names = Object.keys(policies);
  for (const name of Object.keys(config.policies))
    if (!names.includes(name)) refuseSetting(`policies.${name}`, `unknown policy; this run has ${names.join(", ")}`);
  const matchmaking = opponents?.matchmaking ?? "uniform";
  return {
    config,
    costs,
    learners: Object.entries(policies).map(([name, policy]) => learnerOf(name, policy, config, costs)),
    budgets: mapValues({ ...(budget && { tokens: budget }), ...budgets }, (choice, cost) =>
      controllerOf(choice, `of ${cost}`),
    ),
    temperature: temperatureOf(config),
    groupReward: groupReward ? valueIn<"groupReward">(groupReward) : null,
    stopping: earlyStopping && !("patience" in earlyStopping) ? valueIn<"stopping">(earlyStopping) : null,
    curriculum: curriculum ? valueIn<"curriculum">(curriculum) : null,
    matchmaking: typeof matchmaking === "string" ? matchmakings[matchmaking] : valueIn<"matchmaking">(matchmaking),
  };
}

function learnerOf<Policy extends PolicyOutline>(
  name: string,
  policy: Policy,
  run: TrainConfig,
  costs: Costs,
): Learner<Policy> {
  const policySettings = Object.hasOwn(run.policies, name) ? (run.policies[name] ?? {}) : {};
  const { learningRate = run.optimizer.learningRate, optimizer, ...rest } = policySettings;
  const config: TrainConfig = { ...run, ...rest, optimizer: { ...run.optimizer, ...optimizer, learningRate } };
  const hasOwnBudget = policySettings.budget !== undefined || policySettings.prices !== undefined;
  checkPriced(config, costs, hasOwnBudget ? `policies.${name}.` : "");
  const { groupBy } = config;
  return {
    name,
    policy,
    agents: new Set(policy.agents),
    config,
    objective: objectiveOf(config.objective),
    estimator: estimatorOf(config),
    ...(typeof groupBy === "string"
      ? { groupBy, grouping: null }
      : { groupBy: "prompt+agent+turn", grouping: valueIn<"grouping">(groupBy) }),
    learningRate: rateOf(learningRate),
    costs,
    controller: policySettings.budget ? controllerOf(policySettings.budget, `of policy ${name}`) : null,
    hasOwnBudget,
  };
}

function checkPriced({ prices, budget, budgets }: TrainConfig, costs: Costs, location: string): void {
  const priced = [
    ...Object.keys(prices).map((name) => [`${location}prices.${name}`, name] as const),
    ...Object.keys(budgets).map((name) => [`budgets.${name}`, name] as const),
    ...(budget ? [[`${location}budget`, "tokens"] as const] : []),
  ];
  for (const [key, name] of priced)
    if (!Object.hasOwn(costs, name))
      refuseSetting(key, `unknown cost "${name}"; use one of: ${Object.keys(costs).join(", ")}`);
}

export type LearningOutline = Learning<PolicyOutline>;

export function needsGreedy(learners: readonly { readonly estimator: Pick<Estimator, "needs"> }[]): boolean {
  return learners.some(({ estimator }) => estimator.needs?.includes("greedy"));
}

export function policyNeedsOf(objectives: readonly Pick<Objective, "needs">[]): PolicyNeed[] {
  return objectives.flatMap(({ needs = [] }) => needs.filter((need) => need !== "reference"));
}

/** Adds a draw to keep the rate above 0 and below 1, so that every opponent is met again. */
function smoothed({ games, winRate }: PoolMember): number {
  return (games * winRate + 0.5) / (games + 1);
}

function weighted(weightOf: (member: PoolMember) => number): Matchmaking {
  return ({ pool, random }) => {
    const weights = pool.map(weightOf);
    let rest = random.uniform() * weights.reduce((sum, weight) => sum + weight, 0);
    const match = pool.find((_, i) => (rest -= weights[i]!) < 0) ?? pool.at(-1);
    return match!.name;
  };
}

/**
 * `hard` and `even` are AlphaStar's prioritised fictitious self-play, with weights (1 - x)^2 and x (1 - x) for win rate
 * x.
 */
export const matchmakings: Readonly<Record<"uniform" | "hard" | "even", Matchmaking>> = {
  uniform: ({ pool, random }) => pool[random.integer(pool.length)]!.name,
  hard: weighted((member) => (1 - smoothed(member)) ** 2),
  even: weighted((member) => smoothed(member) * (1 - smoothed(member))),
};
