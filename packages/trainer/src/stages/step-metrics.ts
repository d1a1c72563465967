import {
  mergeDiagnostics,
  silenceRates,
  statisticMean,
  statisticOf,
  stopReasons,
  type Diagnostics,
  type Statistic,
} from "@laconic/core";
import type { BudgetDiagnostics } from "@laconic/budget";
import type { ScoreCounts } from "@laconic/rewards";
import type { TrainConfig } from "../config.ts";
import type { LaneResult } from "./lane.ts";
import { meanTokens, type ScoredRollout } from "./score.ts";
import type { TrainingBatch } from "./training-batch.ts";

/** Flat and numeric: one line of `metrics.jsonl`. Names are explained in `metric-names.ts`. */
export type Metrics = Record<string, number>;

/** A step in numbers: the team's, then each policy's, under `policy/NAME/` where there are several. */
export function stepMetrics(facts: {
  readonly step: number;
  readonly config: TrainConfig;
  readonly scored: readonly ScoredRollout[];
  /** Joint replies that a tree had judged. */
  readonly evaluations?: number | undefined;
  readonly scoring: ScoreCounts;
  /** Steps that the weights behind the episodes are old. */
  readonly lag: number;
  readonly lanes: readonly LaneResult[];
  readonly tokenPrice: number;
  readonly budget: BudgetDiagnostics | null;
}): Metrics {
  const { step, config, scored, evaluations, scoring, lag, lanes, tokenPrice, budget } = facts;
  const rewards = statisticOf(scored.map(({ reward }) => reward).filter((reward) => !Number.isNaN(reward)));
  const [only] = lanes;
  return {
    step,
    "progress/done_frac": step / config.steps,
    "reward/mean": statisticMean(rewards),
    "reward/std": deviation(scored.map(({ reward }) => reward)),
    ...rewardTermMetrics(scored),
    "task/accuracy": statisticMean(
      statisticOf(scored.map(({ measured }) => measured.task).filter((task) => !Number.isNaN(task))),
    ),
    "scoring/scored": scoring.scored,
    "scoring/undecided": scoring.undecided,
    "scoring/invalid": scoring.invalid,
    "scoring/error": scoring.error,
    ...(config.asynchronous && { "sampling/lag_steps": lag }),
    ...(evaluations !== undefined && { "rewards/evaluations": evaluations }),
    ...groupMetrics(scored),
    ...tokenMetrics(scored),
    ...silenceMetrics(scored),
    ...stopMetrics(scored),
    ...(lanes.length === 1 && only
      ? laneMetrics(only)
      : Object.fromEntries(
          lanes.flatMap((each) =>
            Object.entries(laneMetrics(each)).map(([name, value]) => [`policy/${each.lane.name}/${name}`, value]),
          ),
        )),
    "budget/tokens/lambda": tokenPrice,
    ...(budget && {
      "budget/tokens/target": budget.target,
      "budget/tokens/used_frac": meanTokens(scored) / (config.budget?.targetTokens ?? NaN),
      "budget/tokens/saturated": budget.saturated,
      "budget/tokens/held": budget.held,
      "budget/tokens/guarded": budget.guarded,
    }),
  };
}

function laneMetrics({ lane, scored, batch, gap, update, tokenPrice }: LaneResult): Metrics {
  return {
    ...lengthMetrics(batch),
    "actor/pg_loss": update.loss,
    "actor/entropy": statisticMean(update.entropy),
    "actor/grad_norm": statisticMean(update.gradNorm),
    "actor/skipped_steps": update.skipped,
    "optim/lr": update.learningRate,
    "sampling/logp_difference_mean": statisticMean(gap),
    "sampling/logp_difference_max": Math.max(0, gap.max),
    ...diagnosticMetrics(mergeDiagnostics(batch.diagnostics, update.diagnostics)),
    ...(lane.paysForItself && {
      "reward/own_mean": statisticMean(statisticOf(scored.map(({ reward }) => reward))),
      "budget/own_lambda": tokenPrice,
      "budget/own_tokens": meanTokens(scored),
    }),
  };
}

function rewardTermMetrics(scored: readonly ScoredRollout[]): Metrics {
  const names = Object.keys(scored[0]?.terms ?? {});
  return Object.fromEntries(
    names.flatMap((name) => {
      const values = scored.map(({ terms }) => terms[name] as number);
      return [
        [`rewards/${name}/mean`, statisticMean(statisticOf(values.filter((value) => !Number.isNaN(value))))],
        [`rewards/${name}/std`, deviation(values)],
      ];
    }),
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
  const metrics: Metrics = { "tokens/total": 0, "tokens/episode_mean": meanTokens(scored) };
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
  ends("importance_weight", diagnostics["importance_weight"]);
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
  return metrics;
}

function deviation(values: readonly number[]): number {
  const finite = values.filter((value) => !Number.isNaN(value));
  if (finite.length < 2) return 0;
  const mean = statisticMean(statisticOf(finite));
  return Math.sqrt(finite.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (finite.length - 1));
}
