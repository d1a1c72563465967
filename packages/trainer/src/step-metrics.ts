import { statisticMean, statisticOf, stopReasons, type Diagnostics, type Ragged, type Statistic } from "@laconic/core";
import { silenceRates } from "@laconic/core/ledger";
import { mergeDiagnostics } from "@laconic/core/numeric";
import type { BudgetOptions } from "@laconic/budget";
import type { ScoreCounts } from "@laconic/rewards";
import type { TrainConfig } from "./settings/config.ts";
import { measureValues } from "./measure-values.ts";
import type { PriceDiagnostics } from "./spec/price-controllers.ts";
import type { OpponentState } from "./opponents/games.ts";
import type { QueueReport } from "./queue/group-queue.ts";
import type { LearnerResult } from "./stages/learner.ts";
import { meanCost, type ScoredRollout } from "./stages/score.ts";
import type { TrainingBatch } from "./stages/training-batch.ts";

/** Flat and numeric: one line of `metrics.jsonl`. Names are explained in `metric-names.ts`. */
export type Metrics = Record<string, number>;

/** What a step's numbers are of. */
interface StepMetricFacts {
  readonly step: number;
  readonly config: TrainConfig;
  readonly scored: readonly ScoredRollout[];
  /** Joint replies that a tree had judged. */
  readonly evaluations?: number | undefined;
  readonly scoring: ScoreCounts;
  /** Steps that each group's weights are behind, where samples may be of older ones. */
  readonly lags: readonly number[];
  /** Of an asynchronous run. */
  readonly queue: QueueReport | null;
  readonly learners: readonly LearnerResult[];
  readonly tokenPrice: number;
  /** Of the team's budgets, by cost. */
  readonly budgets: Readonly<Record<string, PriceDiagnostics>>;
  /** The pool after the step; null without opponents. */
  readonly opponents?: readonly OpponentState[] | null;
}

/** A step in numbers: the team's, then each policy's, under `policy/NAME/` where there are several. */
export function stepMetrics(facts: StepMetricFacts): Metrics {
  const { step, config, scored, evaluations, scoring, lags, queue, learners, tokenPrice, budgets } = facts;
  const rewards = scored.map(({ reward }) => reward);
  const metrics: Metrics = {
    step,
    "progress/done_frac": step / config.steps,
    "reward/mean": meanOfKnown(rewards),
    "reward/std": deviation(rewards),
    ...rewardTermMetrics(scored),
    ...agentRewardMetrics(scored),
    ...measureMetrics(scored),
    "task/accuracy": meanOfKnown(scored.map(({ measured }) => measured.task)),
    "scoring/scored": scoring.scored,
    "scoring/undecided": scoring.undecided,
    "scoring/invalid": scoring.invalid,
    "scoring/error": scoring.error,
    ...(lags.length > 0 && lagMetrics(lags)),
    ...(queue && queueMetrics(queue)),
    ...(evaluations !== undefined && { "rewards/evaluations": evaluations }),
    ...groupMetrics(scored),
  };
  for (const part of [tokenMetrics, silenceMetrics, stopMetrics]) Object.assign(metrics, part(scored));
  for (const learner of learners) {
    const place = policyPrefix(learners, learner.learner);
    for (const [name, value] of Object.entries(learnerMetrics(learner))) metrics[`${place}${name}`] = value;
  }
  metrics["budget/tokens/lambda"] = tokenPrice;
  for (const [cost, diagnostics] of Object.entries(budgets))
    for (const [name, value] of Object.entries(budgetMetrics(cost, diagnostics, scored, config)))
      metrics[`budget/${cost}/${name}`] = value;
  return { ...metrics, ...(facts.opponents && opponentMetrics(facts.opponents, scored)) };
}

/** Prefix of a policy's metrics; empty where it is the only one. */
export function policyPrefix(learners: readonly LearnerResult[], { name }: LearnerResult["learner"]): string {
  return learners.length === 1 ? "" : `policy/${name}/`;
}

/** The pool: who is in it, and how games went so far. */
function opponentMetrics(pool: readonly OpponentState[], scored: readonly ScoredRollout[]): Metrics {
  const isLatest = ({ episode }: ScoredRollout): boolean =>
    episode.utterances.every(({ opponent }) => opponent === undefined);
  return {
    "opponents/pool": pool.length,
    "opponents/latest_frac": scored.filter(isLatest).length / Math.max(1, scored.length),
    ...Object.fromEntries(
      pool
        .filter(({ games }) => games > 0)
        .flatMap(({ name, games, points }) => [
          [`opponents/games/${name}`, games],
          [`opponents/win_rate/${name}`, points / games],
        ]),
    ),
  };
}

function lagMetrics(lags: readonly number[]): Metrics {
  const inOrder = lags.toSorted((a, b) => a - b);
  return {
    "sampling/lag_steps": statisticMean(statisticOf(lags)),
    "sampling/lag_steps_p99": inOrder[Math.ceil(0.99 * inOrder.length) - 1] ?? 0,
    "sampling/lag_steps_max": inOrder.at(-1) ?? 0,
  };
}

function queueMetrics({ dropped, retried, utilisation, active, complete }: QueueReport): Metrics {
  return {
    "queue/utilisation": utilisation,
    "queue/active_groups": active,
    "queue/complete_groups": complete,
    "queue/dropped_stale": dropped.filter(({ reason }) => reason === "stale").length,
    "queue/dropped_failed": dropped.filter(({ reason }) => reason === "failed").length,
    "queue/retried_episodes": retried,
  };
}

function budgetMetrics(
  cost: string,
  { lambda, target, saturated = 0, held = 0, guarded = 0 }: PriceDiagnostics,
  scored: readonly ScoredRollout[],
  { budget, budgets }: TrainConfig,
): Metrics {
  // Only Eq. 5 has a target.
  if (target === undefined) return cost === "tokens" ? {} : { lambda };
  const { targetTokens } = ((cost === "tokens" && budget) || budgets[cost]) as BudgetOptions;
  return {
    // Of tokens the price that was paid stands there already; of others it is the next one.
    ...(cost !== "tokens" && { lambda }),
    target,
    used_frac: meanCost(scored, cost) / targetTokens,
    saturated,
    held,
    guarded,
  };
}

function learnerMetrics({ learner, scored, batch, gap, update, tokenPrice, refLogProbs }: LearnerResult): Metrics {
  return {
    ...lengthMetrics(batch),
    "actor/pg_loss": update.loss,
    "actor/entropy": statisticMean(update.entropy),
    "actor/grad_norm": statisticMean(update.gradNorm),
    "actor/skipped_steps": update.skipped,
    "optim/lr": update.learningRate,
    "actor/tokens_passed": update.passed.tokens,
    "actor/rows_passed": update.passed.rows,
    "actor/shared_token_fraction": 1 - update.passed.rows / Math.max(1, update.passed.tokens),
    "sampling/logp_difference_mean": statisticMean(gap),
    "sampling/logp_difference_max": Math.max(0, gap.max),
    ...(update.supervised && {
      "supervised/loss": update.supervised.nats / update.supervised.tokens,
      "supervised/tokens": update.supervised.tokens,
    }),
    ...(refLogProbs && perplexityMetrics(batch, refLogProbs)),
    ...diagnosticMetrics(mergeDiagnostics(batch.diagnostics, update.diagnostics)),
    ...(learner.hasOwnBudget && {
      "reward/own_mean": meanOfKnown(scored.map(({ reward }) => reward)),
      "budget/own_lambda": tokenPrice,
      "budget/own_tokens": meanCost(scored),
    }),
  };
}

/** Of each agent's words under the policy of the beginning, without the token that ended them. */
function perplexityMetrics({ utterances }: TrainingBatch, { values, offsets }: Ragged): Metrics {
  const sums = new Map<string, { logProb: number; tokens: number }>();
  utterances.forEach(({ agent, finishReason }, row) => {
    const [start = 0, end = 0] = offsets.subarray(row, row + 2);
    const sum = sums.get(agent) ?? { logProb: 0, tokens: 0 };
    const last = finishReason === "stop" ? end - 1 : end;
    for (let i = start; i < last; i++) sum.logProb += values[i] as number;
    sums.set(agent, { logProb: sum.logProb, tokens: sum.tokens + Math.max(0, last - start) });
  });
  return Object.fromEntries(
    [...sums]
      .filter(([, { tokens }]) => tokens > 0)
      .map(([agent, { logProb, tokens }]) => [`language/perplexity/${agent}`, Math.exp(-logProb / tokens)]),
  );
}

function rewardTermMetrics(scored: readonly ScoredRollout[]): Metrics {
  const names = new Set(scored.flatMap(({ terms }) => Object.keys(terms)));
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const values = scored.map(({ terms }) => terms[name] ?? Number.NaN);
      return [
        [`rewards/${name}/mean`, meanOfKnown(values)],
        [`rewards/${name}/std`, deviation(values)],
      ];
    }),
  );
}

/** Of agents with terms of their own. */
function agentRewardMetrics(scored: readonly ScoredRollout[]): Metrics {
  const agents = new Set(scored.flatMap(({ agentRewards }) => [...agentRewards.keys()]));
  return Object.fromEntries(
    [...agents].map((agent) => {
      const values = scored.map(({ agentRewards }) => agentRewards.get(agent)).filter((value) => value !== undefined);
      return [`reward/agent/${agent}`, statisticMean(statisticOf(values))];
    }),
  );
}

/** What rewards count beside their terms; of 0 and 1 the mean is a share. */
function measureMetrics(scored: readonly ScoredRollout[]): Metrics {
  return Object.fromEntries(
    [...measureValues(scored)].map(([name, values]) => [`measures/${name}`, statisticMean(statisticOf(values))]),
  );
}

/** Groups by their grades: those that are neither all good nor all bad teach the task. */
function groupMetrics(scored: readonly ScoredRollout[]): Metrics {
  const byGroup = new Map<number, ScoredRollout[]>();
  for (const each of scored) {
    const members = byGroup.get(each.group);
    if (members) members.push(each);
    else byGroup.set(each.group, [each]);
  }
  const groups = [...byGroup.values()]
    .map((members) => members.map(({ measured }) => measured.task).filter((task) => !Number.isNaN(task)))
    .filter((tasks) => tasks.length > 0);
  const share = (every: (task: number) => boolean): number =>
    groups.filter((tasks) => tasks.every(every)).length / Math.max(1, groups.length);
  const [good, bad] = [share((task) => task === 1), share((task) => task === 0)];
  return {
    "by_group/frac_all_good": good,
    "by_group/frac_all_bad": bad,
    "by_group/frac_mixed": groups.length === 0 ? 0 : 1 - good - bad,
  };
}

function tokenMetrics(scored: readonly ScoredRollout[]): Metrics {
  const metrics: Metrics = { "tokens/total": 0, "tokens/episode_mean": meanCost(scored) };
  const add = (name: string, tokens: number): void => {
    metrics[name] = (metrics[name] ?? 0) + tokens;
  };
  for (const call of scored.flatMap(({ episode }) => episode.ledger.calls)) {
    add("tokens/total", call.writtenTokens);
    add(`tokens/written/${call.agent}`, call.writtenTokens);
    add(
      `tokens/read/${call.agent}`,
      call.reads.reduce((sum, read) => sum + read.tokens, 0),
    );
  }
  return metrics;
}

function silenceMetrics(scored: readonly ScoredRollout[]): Metrics {
  const episodes = scored.map(({ episode }) => episode);
  const turns = episodes.flatMap(({ utterances }) => utterances);
  const byAgent = Object.entries(silenceRates(episodes.flatMap(({ utterances }) => utterances))).map(
    ([agent, share]) => [`silence/${agent}/frac`, share],
  );
  return {
    "silence/frac": turns.filter(({ silent }) => silent).length / Math.max(1, turns.length),
    ...Object.fromEntries(byAgent),
  };
}

function stopMetrics(scored: readonly ScoredRollout[]): Metrics {
  const count = (reason: string): number => scored.filter(({ episode }) => episode.stopReason === reason).length;
  return Object.fromEntries(stopReasons.map((reason) => [`stop/${reason}`, count(reason)]));
}

function lengthMetrics({ utterances, empty }: TrainingBatch): Metrics {
  const lengths = statisticOf(utterances.map(({ writtenTokens }) => writtenTokens));
  return {
    "response_length/mean": statisticMean(lengths),
    "response_length/min": lengths.count === 0 ? 0 : lengths.min,
    "response_length/max": lengths.count === 0 ? 0 : lengths.max,
    "response_length/clip_ratio":
      utterances.filter(({ finishReason }) => finishReason === "length").length / Math.max(1, utterances.length),
    "response_length/empty": empty,
  };
}

/** Diagnostics that metrics know by another name, or by their ends. */
const mapped: ReadonlySet<string> = new Set([
  "ratio",
  "sampling/ratio",
  "advantages",
  "approx_kl/k1",
  "kl",
  "clip_ratio/region",
  "clip_ratio/low",
  "clip_ratio/high",
  "log_ratio_abs",
  "policy_loss",
]);

/** A statistic becomes its mean, and its ends where they tell something. */
function diagnosticMetrics(diagnostics: Diagnostics): Metrics {
  const metrics: Metrics = {};
  const mean = (name: string, key: string): void => {
    const statistic = diagnostics[key];
    if (statistic) metrics[name] = statisticMean(statistic);
  };
  const ends = (name: string, statistic: Statistic | undefined): void => {
    if (!statistic || statistic.count === 0) return;
    metrics[`${name}/mean`] = statisticMean(statistic);
    metrics[`${name}/min`] = statistic.min;
    metrics[`${name}/max`] = statistic.max;
  };
  ends("ratio", diagnostics["ratio"]);
  ends("importance_weight", diagnostics["sampling/ratio"]);
  ends("advantages", diagnostics["advantages"]);
  mean("actor/ppo_kl", "approx_kl/k1");
  mean("approx_kl/k3", "approx_kl/k3");
  mean("actor/kl_loss", "kl");
  mean("actor/pg_clipfrac", "clip_ratio/region");
  mean("clip_ratio/low_mean", "clip_ratio/low");
  mean("clip_ratio/high_mean", "clip_ratio/high");
  mean("frac_reward_zero_std", "frac_reward_zero_std");
  for (const key of Object.keys(diagnostics)) if (key.startsWith("frac_zero_std/")) mean(key, key);
  metrics["groups/size_one"] = diagnostics["groups/size_one"]?.sum ?? 0;
  metrics["rewards/not_applicable"] = diagnostics["rewards/not_applicable"]?.sum ?? 0;
  metrics["ratio_clamped"] = diagnostics["ratio_clamped"]?.sum ?? 0;
  metrics["log_ratio_abs_max"] = Math.max(0, diagnostics["log_ratio_abs"]?.max ?? 0);
  // What has no older name of its own keeps the objective's or the estimator's.
  for (const [key, statistic] of Object.entries(diagnostics))
    if (!mapped.has(key) && !(key in metrics)) metrics[key] = statisticMean(statistic);
  return metrics;
}

function deviation(values: readonly number[]): number {
  const finite = values.filter((value) => !Number.isNaN(value));
  if (finite.length < 2) return 0;
  const mean = statisticMean(statisticOf(finite));
  return Math.sqrt(finite.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (finite.length - 1));
}

/** Without what does not apply. */
function meanOfKnown(values: readonly number[]): number {
  return statisticMean(statisticOf(values.filter((value) => !Number.isNaN(value))));
}
