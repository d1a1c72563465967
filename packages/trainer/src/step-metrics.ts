import { statisticMean, statisticOf, stopReasons, type Diagnostics, type Ragged } from "@laconic/core";
import { silenceRates } from "@laconic/core/ledger";
import { grouped, mergeDiagnostics } from "@laconic/core/numeric";
import type { BudgetOptions } from "@laconic/budget";
import type { TrainConfig } from "./settings/config.ts";
import { measureValues } from "./measure-values.ts";
import type { PriceDiagnostics } from "./spec/price-controllers.ts";
import type { OpponentState } from "./opponents/games.ts";
import type { QueueReport } from "./queue/group-queue.ts";
import type { LearnerResult, StepBatch } from "./stages/learner.ts";
import { meanCost, type ScoredRollout } from "./stages/score.ts";
import type { TrainingBatch } from "./stages/training-batch.ts";

/** Line of `metrics.jsonl`. `metric-names.ts` explains the names. */
export type Metrics = Record<string, number>;

interface StepMetricFacts extends Pick<StepBatch, "scored" | "scoring"> {
  readonly step: number;
  readonly learners: readonly LearnerResult[];
  readonly config: TrainConfig;
  readonly evaluations?: number | undefined;
  /** Age of each group's weights in steps. */
  readonly lags: readonly number[];
  readonly queue: QueueReport | null;
  readonly tokenPrice: number;
  readonly budgets: Readonly<Record<string, PriceDiagnostics>>;
  /** Pool after the step; null without opponents. */
  readonly opponents?: readonly OpponentState[] | null;
}

export function stepMetrics(input: StepMetricFacts): Metrics {
  const { step, config, scored, evaluations, scoring, lags, queue, learners, budgets, opponents } = input;
  const rewards = scored.map(({ reward }) => reward);
  return {
    step,
    "progress/done_frac": step / config.steps,
    "reward/mean": meanOfKnown(rewards),
    "reward/std": deviation(rewards),
    ...rewardMetrics(scored),
    "task/accuracy": meanOfKnown(scored.map(({ measured }) => measured.task)),
    "scoring/scored": scoring.scored,
    "scoring/undecided": scoring.undecided,
    "scoring/invalid": scoring.invalid,
    "scoring/error": scoring.error,
    ...(lags.length > 0 && lagMetrics(lags)),
    ...(queue && queueMetrics(queue)),
    ...(scored.some(({ plan }) => plan) && {
      "credit/replays": scored.reduce((sum, { replays = [] }) => sum + replays.length, 0),
    }),
    ...(evaluations !== undefined && { "rewards/evaluations": evaluations }),
    ...groupMetrics(scored),
    ...tokenMetrics(scored),
    ...turnMetrics(scored),
    ...Object.assign(
      {},
      ...learners.map((learner) => prefixed(policyPrefix(learners, learner.learner), learnerMetrics(learner))),
    ),
    "budget/tokens/lambda": input.tokenPrice,
    ...Object.assign(
      {},
      ...Object.entries(budgets).map(([cost, priceDiagnostics]) =>
        prefixed(`budget/${cost}/`, budgetMetrics(cost, priceDiagnostics, scored, config)),
      ),
    ),
    ...(opponents && opponentMetrics(opponents, scored)),
  };
}

export function prefixed(prefix: string, metrics: Metrics): Metrics {
  return Object.fromEntries(Object.entries(metrics).map(([name, value]) => [`${prefix}${name}`, value]));
}

export function policyPrefix(learners: readonly LearnerResult[], { name }: LearnerResult["learner"]): string {
  return learners.length === 1 ? "" : `policy/${name}/`;
}

function opponentMetrics(pool: readonly OpponentState[], scored: readonly ScoredRollout[]): Metrics {
  const latest = scored.filter(({ episode }) => episode.utterances.every(({ opponent }) => opponent === undefined));
  return {
    "opponents/pool": pool.length,
    "opponents/latest_frac": latest.length / Math.max(1, scored.length),
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
    "sampling/lag_steps": meanOf(lags),
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
  // The row has the paid price of tokens. Other prices are those of the next step.
  const price: Metrics = cost === "tokens" ? {} : { lambda };
  if (target === undefined) return price; // only Eq. 5 has a target
  const { targetTokens } = ((cost === "tokens" && budget) || budgets[cost]) as BudgetOptions;
  return { ...price, target, used_frac: meanCost(scored, cost) / targetTokens, saturated, held, guarded };
}

function learnerMetrics({ learner, scored, batch, gap, update, tokenPrice, refLogProbs }: LearnerResult): Metrics {
  const { utterances, empty } = batch;
  const lengths = statisticOf(utterances.map(({ writtenTokens }) => writtenTokens));
  const cut = utterances.filter(({ finishReason }) => finishReason === "length");
  return {
    "response_length/mean": statisticMean(lengths),
    "response_length/min": lengths.count === 0 ? 0 : lengths.min,
    "response_length/max": lengths.count === 0 ? 0 : lengths.max,
    "response_length/clip_ratio": cut.length / Math.max(1, utterances.length),
    "response_length/empty": empty,
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

/** Perplexity by agent under the first policy, without end tokens. */
function perplexityMetrics({ utterances }: TrainingBatch, { values, offsets }: Ragged): Metrics {
  const sums = new Map<string, { logProb: number; tokens: number }>();
  utterances.forEach(({ agent, finishReason }, row) => {
    const [start = 0, end = 0] = offsets.subarray(row, row + 2);
    const sum = sums.get(agent) ?? { logProb: 0, tokens: 0 };
    const last = finishReason === "stop" ? end - 1 : end;
    for (let i = start; i < last; i++) sum.logProb += values[i]!;
    sums.set(agent, { logProb: sum.logProb, tokens: sum.tokens + Math.max(0, last - start) });
  });
  return Object.fromEntries(
    [...sums]
      .filter(([, { tokens }]) => tokens > 0)
      .map(([agent, { logProb, tokens }]) => [`language/perplexity/${agent}`, Math.exp(-logProb / tokens)]),
  );
}

function rewardMetrics(scored: readonly ScoredRollout[]): Metrics {
  const metrics: Metrics = {};
  for (const name of new Set(scored.flatMap(({ terms }) => Object.keys(terms)))) {
    const values = scored.map(({ terms }) => terms[name] ?? Number.NaN);
    metrics[`rewards/${name}/mean`] = meanOfKnown(values);
    metrics[`rewards/${name}/std`] = deviation(values);
  }
  for (const agent of new Set(scored.flatMap(({ agentRewards }) => [...agentRewards.keys()])))
    metrics[`reward/agent/${agent}`] = meanOf(scored.flatMap(({ agentRewards }) => agentRewards.get(agent) ?? []));
  for (const [name, values] of measureValues(scored)) metrics[`measures/${name}`] = meanOf(values);
  return metrics;
}

/** Metrics of groups. Only groups with mixed grades teach the task. */
function groupMetrics(scored: readonly ScoredRollout[]): Metrics {
  const graded = scored.filter(({ measured }) => !Number.isNaN(measured.task));
  const groups = grouped(graded, ({ group }) => group);
  const share = (grade: number): number =>
    groups.filter((group) => group.every(({ measured }) => measured.task === grade)).length /
    Math.max(1, groups.length);
  const [good, bad] = [share(1), share(0)];
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
  for (const { agent, writtenTokens, reads } of scored.flatMap(({ episode }) => episode.ledger.calls)) {
    add("tokens/total", writtenTokens);
    add(`tokens/written/${agent}`, writtenTokens);
    const readTokens = reads.reduce((sum, read) => sum + read.tokens, 0);
    add(`tokens/read/${agent}`, readTokens);
  }
  return metrics;
}

function turnMetrics(scored: readonly ScoredRollout[]): Metrics {
  const turns = scored.flatMap(({ episode }) => episode.utterances);
  const metrics: Metrics = { "silence/frac": turns.filter(({ silent }) => silent).length / Math.max(1, turns.length) };
  for (const [agent, share] of Object.entries(silenceRates(turns))) metrics[`silence/${agent}/frac`] = share;
  for (const reason of stopReasons)
    metrics[`stop/${reason}`] = scored.filter(({ episode }) => episode.stopReason === reason).length;
  return metrics;
}

const diagnosticEnds = { ratio: "ratio", importance_weight: "sampling/ratio", advantages: "advantages" } as const;

const diagnosticMeans = {
  "actor/ppo_kl": "approx_kl/k1",
  "approx_kl/k3": "approx_kl/k3",
  "actor/kl_loss": "kl",
  "actor/pg_clipfrac": "clip_ratio/region",
  "clip_ratio/low_mean": "clip_ratio/low",
  "clip_ratio/high_mean": "clip_ratio/high",
  frac_reward_zero_std: "frac_reward_zero_std",
} as const;

const diagnosticSums = ["groups/size_one", "rewards/not_applicable", "ratio_clamped"] as const;

const otherDiagnostics = ["log_ratio_abs", "policy_loss"] as const;

function diagnosticMetrics(diagnostics: Diagnostics): Metrics {
  const metrics: Metrics = {};
  for (const [metric, diagnostic] of Object.entries(diagnosticEnds)) {
    const statistic = diagnostics[diagnostic];
    if (!statistic || statistic.count === 0) continue;
    metrics[`${metric}/mean`] = statisticMean(statistic);
    metrics[`${metric}/min`] = statistic.min;
    metrics[`${metric}/max`] = statistic.max;
  }
  for (const [metric, diagnostic] of Object.entries(diagnosticMeans)) {
    const statistic = diagnostics[diagnostic];
    if (statistic) metrics[metric] = statisticMean(statistic);
  }
  for (const [key, statistic] of Object.entries(diagnostics))
    if (key.startsWith("frac_zero_std/")) metrics[key] = statisticMean(statistic);
  for (const key of diagnosticSums) metrics[key] = diagnostics[key]?.sum ?? 0;
  metrics["log_ratio_abs_max"] = Math.max(0, diagnostics["log_ratio_abs"]?.max ?? 0);
  const taken = new Set<string>([...Object.values({ ...diagnosticEnds, ...diagnosticMeans }), ...otherDiagnostics]);
  for (const [key, statistic] of Object.entries(diagnostics))
    if (!taken.has(key) && !(key in metrics)) metrics[key] = statisticMean(statistic);
  return metrics;
}

function meanOf(values: readonly number[]): number {
  return statisticMean(statisticOf(values));
}

/** Sample deviation, ignoring NaN. */
function deviation(values: readonly number[]): number {
  const numbers = values.filter((value) => !Number.isNaN(value));
  if (numbers.length < 2) return 0;
  const mean = meanOf(numbers);
  return Math.sqrt(numbers.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (numbers.length - 1));
}

function meanOfKnown(values: readonly number[]): number {
  return meanOf(values.filter((value) => !Number.isNaN(value)));
}
