import type { Findings } from "../findings.ts";
import type { StepRecord } from "../folder/record.ts";
import type { Json } from "../rules/closed-set.ts";
import { applicable, meanOf, total } from "../rules/numbers.ts";
import { gradeOf } from "../rules/rewards.ts";
import type { TrainSettings } from "../rules/settings.ts";

/** Reports uncomputed metrics as not covered. */
export function checkMetrics(findings: Findings, train: TrainSettings, record: StepRecord, row: Json): void {
  const { step, prices, policies } = record;
  const expected: Record<string, number> = {
    step,
    "progress/done_frac": step / train.steps,
    "budget/tokens/lambda": prices["tokens"] ?? 0,
    ...rewardMetrics(record),
    ...tokenMetrics(record),
  };
  const names = Object.keys(policies);
  for (const [name, { updates }] of Object.entries(policies)) {
    const prefix = names.length === 1 ? "" : `policy/${name}/`;
    expected[`${prefix}actor/pg_loss`] = meanOf(updates.map(({ loss }) => loss ?? Number.NaN));
    expected[`${prefix}actor/grad_norm`] = meanOf(updates.flatMap(({ gradNorm }) => gradNorm ?? []));
    expected[`${prefix}actor/skipped_steps`] = updates.filter(({ applied }) => !applied).length;
    expected[`${prefix}optim/lr`] = updates.at(-1)?.learningRate ?? 0;
  }
  const metrics = findings.at("metric", { step });
  for (const [key, value] of Object.entries(expected)) metrics.number(key, value, row[key]);
  const others = Object.keys(row).filter((key) => !(key in expected) && key !== "nonfinite");
  for (const key of others) findings.leaveOut("metrics", key.replace(/^policy\/[\w-]+\//u, "policy/*/"));
}

function rewardMetrics({ played, rollouts }: StepRecord): Record<string, number> {
  const mean = (values: readonly (number | null | undefined)[]): number =>
    meanOf(applicable(values.map((value) => value ?? Number.NaN)));
  const terms = [...new Set(rollouts.flatMap((rollout) => Object.keys(rollout.terms)))];
  return {
    "task/accuracy": mean(played.map(({ episode }) => gradeOf(episode))),
    "reward/mean": mean(rollouts.map(({ reward }) => reward)),
    ...Object.fromEntries(
      terms.map((name) => [`rewards/${name}/mean`, mean(rollouts.map((rollout) => rollout.terms[name]))]),
    ),
  };
}

function tokenMetrics({ played, rollouts }: StepRecord): Record<string, number> {
  const calls = played.flatMap(({ episode }) => episode.ledger.calls);
  const turns = played.flatMap(({ episode }) => episode.utterances);
  const written = (own: readonly { readonly writtenTokens: number }[]): number =>
    total(own.map(({ writtenTokens }) => writtenTokens));
  const silent = (utterances: typeof turns): number => meanOf(utterances.map((turn) => Number(turn.silent)));
  const costs = played.map(({ episode }, i) => rollouts[i]?.costs["tokens"] ?? written(episode.ledger.calls));
  const metrics: Record<string, number> = {
    "tokens/total": written(calls),
    "tokens/episode_mean": meanOf(costs),
    "silence/frac": silent(turns),
  };
  for (const agent of new Set(turns.map((turn) => turn.agent))) {
    const ledgerCalls = calls.filter((call) => call.agent === agent);
    metrics[`tokens/written/${agent}`] = written(ledgerCalls);
    metrics[`tokens/read/${agent}`] = total(ledgerCalls.flatMap(({ reads }) => reads.map(({ tokens }) => tokens)));
    metrics[`silence/${agent}/frac`] = silent(turns.filter((turn) => turn.agent === agent));
  }
  for (const reason of "answered no_answer truncated turn_limit token_limit time_limit done error".split(" "))
    metrics[`stop/${reason}`] = played.filter(({ episode }) => episode.stopReason === reason).length;
  return metrics;
}
