import type { Findings } from "../findings.ts";
import type { PolicyRecord, StepRecord } from "../folder/record.ts";
import type { Json } from "../rules/closed-set.ts";
import { applicable, deviationOf, meanOf, total, type Numbers } from "../rules/numbers.ts";
import { gradeOf } from "../rules/rewards.ts";
import type { TrainSettings } from "../rules/settings.ts";
import type { PriceReport, Rollout } from "./rollouts.ts";

/** A step as its records have it. */
export interface StepFacts {
  readonly step: StepRecord;
  readonly rollouts: readonly Rollout[];
  /** Null where prices are not covered. */
  readonly prices: Readonly<Record<string, PriceReport>> | null;
}

/** A row of `metrics.jsonl` from the records of its step; numbers that are not computed here are named. */
export function checkMetrics(findings: Findings, train: TrainSettings, facts: StepFacts, row: Json): void {
  const { step, rollouts } = facts;
  const policies = Object.entries(step.policies);
  const prefixOf = (policy: string): string => (policies.length === 1 ? "" : `policy/${policy}/`);
  const expected: Numbers = {
    step: step.step,
    "progress/done_frac": step.step / train.steps,
    "task/accuracy": meanOf(applicable(rollouts.map(({ episode }) => gradeOf(episode)))),
    ...rewardMetrics(rollouts),
    ...tokenMetrics(rollouts),
    ...groupMetrics(rollouts),
    ...Object.fromEntries(
      policies.flatMap(([name, record]) =>
        Object.entries(policyMetrics(record)).map(([key, value]) => [`${prefixOf(name)}${key}`, value]),
      ),
    ),
    "budget/tokens/lambda": step.prices["tokens"] ?? 0,
    ...budgetMetrics(facts.prices ?? {}),
  };
  for (const [key, value] of Object.entries(expected))
    findings.number("metric", { step: step.step }, key, value, row[key]);
  for (const key of Object.keys(row))
    if (!(key in expected) && key !== "nonfinite")
      findings.leaveOut("metrics", key.replace(/^policy\/[\w-]+\//u, "policy/*/"));
}

function budgetMetrics(prices: Readonly<Record<string, PriceReport>>): Numbers {
  const rows = Object.entries(prices).flatMap(([cost, { next, facts }]) => [
    ...(cost === "tokens" ? [] : [[`budget/${cost}/lambda`, next.price]]),
    ...Object.entries(facts).map(([key, value]) => [`budget/${cost}/${key}`, value]),
  ]);
  return Object.fromEntries(rows) as Numbers;
}

function rewardMetrics(rollouts: readonly Rollout[]): Numbers {
  const spread = (name: string, values: readonly number[]): Numbers => ({
    [`${name}/mean`]: meanOf(applicable(values)),
    [`${name}/std`]: deviationOf(values),
  });
  const names = [...new Set(rollouts.flatMap(({ row }) => Object.keys(row.terms)))];
  const terms = names.map((name) =>
    spread(
      `rewards/${name}`,
      rollouts.map(({ row }) => row.terms[name] ?? Number.NaN),
    ),
  );
  return Object.assign(
    spread(
      "reward",
      rollouts.map(({ row }) => row.reward ?? Number.NaN),
    ),
    ...terms,
  ) as Numbers;
}

/** Shares of groups whose grades are all 1, all 0 or neither. */
function groupMetrics(rollouts: readonly Rollout[]): Numbers {
  const groups = [...new Set(rollouts.map(({ row }) => row.group))]
    .map((group) => applicable(rollouts.flatMap(({ row, episode }) => (row.group === group ? gradeOf(episode) : []))))
    .filter((grades) => grades.length > 0);
  const share = (grade: number): number => meanOf(groups.map((all) => (all.every((each) => each === grade) ? 1 : 0)));
  return {
    "by_group/frac_all_good": share(1),
    "by_group/frac_all_bad": share(0),
    "by_group/frac_mixed": groups.length === 0 ? 0 : 1 - share(1) - share(0),
  };
}

/** Tokens and silence, of the team and of each agent, and how episodes ended. */
function tokenMetrics(rollouts: readonly Rollout[]): Numbers {
  const calls = rollouts.flatMap(({ episode }) => episode.ledger.calls);
  const turns = rollouts.flatMap(({ episode }) => episode.utterances);
  const written = (own: readonly { readonly writtenTokens: number }[]): number =>
    total(own.map(({ writtenTokens }) => writtenTokens));
  const silent = (own: typeof turns): number => meanOf(own.map((turn) => (turn.silent ? 1 : 0)));
  const costs = rollouts.map(({ row, episode }) => row.costs["tokens"] ?? written(episode.ledger.calls));
  const metrics: Record<string, number> = {
    "tokens/total": written(calls),
    "tokens/episode_mean": meanOf(costs),
    "silence/frac": silent(turns),
  };
  for (const agent of new Set(turns.map((turn) => turn.agent))) {
    const own = calls.filter((call) => call.agent === agent);
    metrics[`tokens/written/${agent}`] = written(own);
    metrics[`tokens/read/${agent}`] = total(own.flatMap(({ reads }) => reads.map(({ tokens }) => tokens)));
    metrics[`silence/${agent}/frac`] = silent(turns.filter((turn) => turn.agent === agent));
  }
  for (const reason of "answered no_answer truncated turn_limit token_limit time_limit done error".split(" "))
    metrics[`stop/${reason}`] = rollouts.filter(({ episode }) => episode.stopReason === reason).length;
  return metrics;
}

/** Of recorded optimiser steps. */
function policyMetrics({ updates }: PolicyRecord): Numbers {
  const tokens = total(updates.map(({ entropy }) => entropy.count));
  return {
    "actor/pg_loss": meanOf(updates.map(({ loss }) => loss ?? Number.NaN)),
    "actor/entropy": tokens === 0 ? 0 : total(updates.map(({ entropy }) => entropy.sum)) / tokens,
    "actor/grad_norm": meanOf(updates.flatMap(({ gradNorm }) => gradNorm ?? [])),
    "actor/skipped_steps": updates.filter(({ applied }) => !applied).length,
    "optim/lr": updates.at(-1)?.learningRate ?? 0,
  };
}
