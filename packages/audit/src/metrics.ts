import { deviationOf, known, meanOf, total } from "./rules/numbers.ts";
import { opponentMetrics } from "./audit-opponents.ts";
import { actionsOf } from "./rules/tree-returns.ts";
import type { TrainSettings } from "./rules/settings.ts";
import { type Judged, type PolicyFacts, type StepFacts } from "./step-facts.ts";

type Metrics = Record<string, number>;

const stopReasons = ["answered", "no_answer", "truncated", "turn_limit", "token_limit", "time_limit", "done", "error"];

/** A line of `metrics.jsonl` from what a step held; what a plain run of the weights says is not in it. */
export function metricsOf(facts: StepFacts, train: TrainSettings): Metrics {
  const { step, judged, budgets, prices, policies, rivals } = facts;
  const rewards = judged.map(({ own }) => own.reward);
  const [only] = policies;
  const own = policies.map((policy) => [policy.name, policyMetrics(policy)] as const);
  return {
    step: step.step,
    "progress/done_frac": step.step / train.steps,
    "reward/mean": meanOf(known(rewards)),
    "reward/std": deviationOf(rewards),
    ...termMetrics(judged),
    "task/accuracy": meanOf(known(judged.map((each) => each.own.task))),
    ...scoringMetrics(facts),
    ...(train.asynchronous && lagMetrics([step.lag].flat())),
    ...(step.trees && { "rewards/evaluations": total(Object.values(step.scoring)) }),
    ...groupMetrics(judged),
    ...tokenMetrics(judged),
    ...silenceMetrics(judged),
    ...Object.fromEntries(
      stopReasons.map((reason) => [
        `stop/${reason}`,
        judged.filter(({ episode }) => episode.stopReason === reason).length,
      ]),
    ),
    ...(policies.length === 1 && only
      ? policyMetrics(only)
      : Object.fromEntries(
          own.flatMap(([name, metrics]) =>
            Object.entries(metrics).map(([key, value]) => [`policy/${name}/${key}`, value] as const),
          ),
        )),
    "budget/tokens/lambda": prices["tokens"] ?? 0,
    ...Object.fromEntries(
      Object.entries(budgets).flatMap(([cost, { facts: said, next }]) => [
        ...(cost === "tokens" ? [] : [[`budget/${cost}/lambda`, next.price] as const]),
        [`budget/${cost}/target`, said.target] as const,
        [`budget/${cost}/used_frac`, said.used] as const,
        [`budget/${cost}/saturated`, said.saturated] as const,
        [`budget/${cost}/held`, said.held] as const,
        [`budget/${cost}/guarded`, said.guarded] as const,
      ]),
    ),
    ...opponentMetrics(rivals, judged),
  };
}

/** Steps that the weights behind the groups were old. */
function lagMetrics(lags: readonly number[]): Metrics {
  const inOrder = lags.toSorted((a, b) => a - b);
  return {
    "sampling/lag_steps": meanOf(lags),
    ...(lags.length > 1 && {
      "sampling/lag_steps_p99": inOrder[Math.ceil(0.99 * lags.length) - 1] ?? 0,
      "sampling/lag_steps_max": inOrder.at(-1) ?? 0,
    }),
  };
}

function termMetrics(judged: readonly Judged[]): Metrics {
  const metrics: Metrics = {};
  for (const name of new Set(judged.flatMap(({ own }) => Object.keys(own.terms)))) {
    const values = judged.map(({ own }) => own.terms[name] ?? Number.NaN);
    metrics[`rewards/${name}/mean`] = meanOf(known(values));
    metrics[`rewards/${name}/std`] = deviationOf(values);
  }
  for (const agent of new Set(judged.flatMap(({ agentRewards }) => [...agentRewards.keys()])))
    metrics[`reward/agent/${agent}`] = meanOf(judged.flatMap((each) => each.agentRewards.get(agent) ?? []));
  const scored = judged.filter(({ episode }) => episode.score?.status === "scored");
  const counted = scored.map(({ episode }) => episode.score?.reward?.measures ?? {});
  // A count of the environment's is 0 where an episode recorded none.
  const recorded = new Set(judged.flatMap(({ episode }) => Object.keys(episode.measures ?? {})));
  for (const name of new Set(counted.flatMap((each) => Object.keys(each)))) {
    const missing = recorded.has(name) ? 0 : Number.NaN;
    metrics[`measures/${name}`] = meanOf(
      known(counted.map((each) => (Object.hasOwn(each, name) ? (each[name] ?? Number.NaN) : missing))),
    );
  }
  return metrics;
}

/** Of a tree every scored joint reply counts; how many had none is taken from the record. */
function scoringMetrics({ step, judged }: StepFacts): Metrics {
  const of = (status: string): number => judged.filter(({ episode }) => episode.score?.status === status).length;
  if (step.trees)
    return Object.fromEntries(
      ["scored", "undecided", "invalid", "error"].map((status) => [
        `scoring/${status}`,
        status === "scored" ? actionsOf(step).length : (step.scoring[status] ?? 0),
      ]),
    );
  return Object.fromEntries(
    ["scored", "undecided", "invalid", "error"].map((status) => [`scoring/${status}`, of(status)]),
  );
}

function groupMetrics(judged: readonly Judged[]): Metrics {
  const groups = [...new Set(judged.map(({ row }) => row.group))]
    .map((group) => known(judged.filter(({ row }) => row.group === group).map(({ own }) => own.task)))
    .filter((tasks) => tasks.length > 0);
  const share = (grade: number): number => meanOf(groups.map((tasks) => (tasks.every((t) => t === grade) ? 1 : 0)));
  return {
    "by_group/frac_all_good": share(1),
    "by_group/frac_all_bad": share(0),
    "by_group/frac_mixed": groups.length === 0 ? 0 : 1 - share(1) - share(0),
  };
}

/** Tokens of an episode as its cost counts them, or as its ledger does. */
const tokensOf = ({ own, episode }: Judged): number =>
  own.costs["tokens"] ?? total(episode.ledger.calls.map(({ writtenTokens }) => writtenTokens));

function tokenMetrics(judged: readonly Judged[]): Metrics {
  const calls = judged.flatMap(({ episode }) => episode.ledger.calls);
  const metrics: Metrics = {
    "tokens/total": total(calls.map(({ writtenTokens }) => writtenTokens)),
    "tokens/episode_mean": meanOf(known(judged.map(tokensOf))),
  };
  for (const agent of new Set(calls.map((call) => call.agent))) {
    const own = calls.filter((call) => call.agent === agent);
    metrics[`tokens/written/${agent}`] = total(own.map(({ writtenTokens }) => writtenTokens));
    metrics[`tokens/read/${agent}`] = total(own.flatMap(({ reads }) => reads.map(({ tokens }) => tokens)));
  }
  return metrics;
}

function silenceMetrics(judged: readonly Judged[]): Metrics {
  const turns = judged.flatMap(({ episode }) => episode.utterances);
  const share = (own: typeof turns): number => meanOf(own.map(({ silent }) => (silent ? 1 : 0)));
  return {
    "silence/frac": share(turns),
    ...Object.fromEntries(
      [...new Set(turns.map(({ agent }) => agent))].map((agent) => [
        `silence/${agent}/frac`,
        share(turns.filter((turn) => turn.agent === agent)),
      ]),
    ),
  };
}

/** A policy's own lines, from what its optimiser steps recorded. */
function policyMetrics(policy: PolicyFacts): Metrics {
  const { row, trained, empty, updates, judged, prices, hasOwnBudget } = policy;
  const lengths = trained.map(({ utterance }) => utterance.writtenTokens);
  const norms = row.updates.flatMap(({ gradNorm }) => (gradNorm === null ? [] : [gradNorm]));
  const entropy = { sum: 0, count: 0 };
  for (const update of row.updates) {
    entropy.sum += update.entropy.sum;
    entropy.count += update.entropy.count;
  }
  return {
    "response_length/mean": meanOf(lengths),
    "response_length/min": lengths.length === 0 ? 0 : Math.min(...lengths),
    "response_length/max": lengths.length === 0 ? 0 : Math.max(...lengths),
    "response_length/clip_ratio": meanOf(trained.map(({ utterance }) => (utterance.finishReason === "length" ? 1 : 0))),
    "response_length/empty": empty,
    "actor/pg_loss": meanOf(row.updates.map((update, i) => updates[i]?.loss ?? update.loss ?? Number.NaN)),
    "actor/entropy": entropy.count === 0 ? 0 : entropy.sum / entropy.count,
    "actor/grad_norm": meanOf(norms),
    "actor/skipped_steps": row.updates.filter(({ applied }) => !applied).length,
    "optim/lr": updates.at(-1)?.learningRate ?? 0,
    ...exampleMetrics(policy),
    ...(policy.row.oldLogProbs !== null && gapMetrics(policy)),
    ...ratioMetrics(policy),
    ...(hasOwnBudget && {
      "reward/own_mean": meanOf(known(judged.map(({ own }) => own.reward))),
      "budget/own_lambda": prices["tokens"] ?? 0,
      "budget/own_tokens": meanOf(known(judged.map(tokensOf))),
    }),
  };
}

/** Supervised examples of all optimiser steps together. */
function exampleMetrics({ updates }: PolicyFacts): Metrics {
  const logProbs = updates.flatMap(({ examples }) => examples.logProbs.flat());
  if (logProbs.length === 0) return {};
  return { "supervised/loss": -meanOf(logProbs), "supervised/tokens": logProbs.length };
}

/** Between the trainer's log π_old and the sampler's; where the latter are taken the gap was measured on a few sequences. */
function gapMetrics({ old, sampled }: PolicyFacts): Metrics {
  const gaps = old.flatMap((values, s) => values.map((value, t) => Math.abs(value - (sampled[s]?.[t] ?? Number.NaN))));
  return {
    "sampling/logp_difference_mean": meanOf(gaps),
    "sampling/logp_difference_max": gaps.reduce((a, b) => Math.max(a, b), 0),
  };
}

const buckets: readonly (readonly [min: number, max: number, name: string])[] = [
  [1, 1, "len_1"],
  [2, 4, "len_2_4"],
  [5, 16, "len_5_16"],
  [17, 64, "len_17_64"],
  [65, 256, "len_65_256"],
  [257, Infinity, "len_257_up"],
];

function ratioMetrics({ losses, estimated }: PolicyFacts): Metrics {
  const metrics: Metrics = {};
  const ends = (name: string, values: readonly number[]): void => {
    if (values.length === 0) return;
    metrics[`${name}/mean`] = meanOf(values);
    metrics[`${name}/min`] = values.reduce((a, b) => Math.min(a, b), Infinity);
    metrics[`${name}/max`] = values.reduce((a, b) => Math.max(a, b), -Infinity);
  };
  const all = (of: (facts: (typeof losses)[number]) => readonly number[]): number[] => losses.flatMap(of);
  const share = (sides: readonly number[]): number => meanOf(sides.map((side) => (side === 0 ? 0 : 1)));
  const [drift, clipped] = [all((facts) => facts.drift), all((facts) => facts.clipped)];
  if (estimated.values) ends("advantages", estimated.values);
  Object.assign(metrics, { "groups/size_one": 0, "rewards/not_applicable": 0 }, estimated.metrics);
  if (losses.length === 0) return metrics;
  ends(
    "ratio",
    all((facts) => facts.ratios),
  );
  ends(
    "importance_weight",
    all((facts) => facts.weights),
  );
  metrics["actor/ppo_kl"] = -meanOf(drift);
  metrics["approx_kl/k3"] = meanOf(drift.map(k3));
  metrics["actor/pg_clipfrac"] = share(clipped);
  metrics["clip_ratio/low_mean"] = meanOf(clipped.map((side) => (side < 0 ? 1 : 0)));
  metrics["clip_ratio/high_mean"] = meanOf(clipped.map((side) => (side > 0 ? 1 : 0)));
  metrics["ratio_clamped"] = total(losses.map((facts) => facts.clamped));
  metrics["log_ratio_abs_max"] = drift.reduce((largest, d) => Math.max(largest, Math.abs(d)), 0);
  metrics["empty_sequences"] = meanOf(all((facts) => facts.empty));
  const kl = all((facts) => facts.kl);
  if (kl.length > 0) metrics["actor/kl_loss"] = meanOf(kl);
  const dropped = all((facts) => facts.dropped);
  if (dropped.length > 0) metrics["off_policy/dropped"] = meanOf(dropped);
  const lengths = all((facts) => facts.lengths);
  for (const [min, max, name] of buckets) {
    const own = clipped.filter((_, i) => (lengths[i] ?? 0) >= min && (lengths[i] ?? 0) <= max);
    if (lengths.length > 0 && own.length > 0) metrics[`clip_ratio/region/${name}`] = share(own);
  }
  return metrics;
}

/** exp d - 1 - d, as its tangent from d = 20 on. */
function k3(d: number): number {
  const at = Math.min(d, 20);
  return Math.expm1(at) - at + (d - at) * Math.expm1(at);
}
