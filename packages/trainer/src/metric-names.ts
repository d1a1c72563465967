/** A metric, or a family of metrics where the name holds a `{placeholder}`. */
export interface MetricName {
  readonly name: string;
  /** `share` is a number from 0 to 1 that people read in percent; empty for a plain number. */
  readonly unit: string;
  readonly meaning: string;
}

/** Every name in `metrics.jsonl`, in its order; with several policies, what is one policy's stands under `policy/NAME/`. Means are over the episodes of a step unless they say otherwise. */
export const metricNames: readonly MetricName[] = [
  { name: "step", unit: "steps", meaning: "Steps done, this one included." },
  { name: "progress/done_frac", unit: "share", meaning: "Share of the configured steps that are done." },

  {
    name: "reward/mean",
    unit: "reward",
    meaning: "Mean reward of Eq. 1; episodes that the task does not apply to are left out.",
  },
  { name: "reward/std", unit: "reward", meaning: "Sample standard deviation of the reward over the batch." },
  { name: "rewards/{term}/mean", unit: "reward", meaning: "Mean of one signed term of the reward." },
  { name: "rewards/{term}/std", unit: "reward", meaning: "Sample standard deviation of the term over the batch." },
  { name: "reward/agent/{agent}", unit: "reward", meaning: "Mean of the terms that an agent has of its own." },
  {
    name: "measures/{measure}",
    unit: "",
    meaning:
      "Mean of what a reward counts beside its terms: levels of a writing reward, parts of a code reward, shares of cooperation schemes.",
  },
  { name: "task/accuracy", unit: "share", meaning: "Mean grade of the training episodes that have one, 0 to 1." },
  { name: "scoring/scored", unit: "answers", meaning: "Answers that got a grade, 0 to 1." },
  {
    name: "scoring/undecided",
    unit: "answers",
    meaning: "Answers without one because of the machine, such as a sandbox that did not start; left out.",
  },
  { name: "scoring/invalid", unit: "answers", meaning: "Answers whose grade was NaN or out of range; left out." },
  { name: "scoring/error", unit: "answers", meaning: "Answers whose grader or judge threw, or was late; left out." },

  {
    name: "sampling/lag_steps",
    unit: "steps",
    meaning:
      "Steps that the weights behind a group were old, mean over the groups; asynchronous runs only, as the next eight.",
  },
  { name: "sampling/lag_steps_p99", unit: "steps", meaning: "The same of the group of rank 99 %." },
  { name: "sampling/lag_steps_max", unit: "steps", meaning: "The same of the oldest group." },
  {
    name: "queue/utilisation",
    unit: "share",
    meaning:
      "Episodes that were played, as a share of those that may be (asynchronous.activeGroups), mean over the time since the last step.",
  },
  { name: "queue/active_groups", unit: "groups", meaning: "Groups that are played when the step is done." },
  { name: "queue/complete_groups", unit: "groups", meaning: "Complete groups that wait for the next steps." },
  {
    name: "queue/dropped_stale",
    unit: "groups",
    meaning: "Groups dropped since the last step because they were too old; named in dropped.jsonl.",
  },
  {
    name: "queue/dropped_failed",
    unit: "groups",
    meaning: "Groups dropped because an episode failed more often than asynchronous.retries; named in dropped.jsonl.",
  },
  { name: "queue/retried_episodes", unit: "episodes", meaning: "Episodes that failed and were played again." },
  {
    name: "rewards/evaluations",
    unit: "replies",
    meaning: "Joint replies that were judged; rollout trees only. MAGRPO's env steps.",
  },

  { name: "by_group/frac_all_good", unit: "share", meaning: "Share of groups whose episodes all have grade 1." },
  { name: "by_group/frac_all_bad", unit: "share", meaning: "Share of groups whose episodes all have grade 0." },
  { name: "by_group/frac_mixed", unit: "share", meaning: "Share of the other groups: they teach the task." },

  {
    name: "tokens/total",
    unit: "tokens",
    meaning: "Tokens written by all agents in all episodes, end tokens included.",
  },
  { name: "tokens/episode_mean", unit: "tokens", meaning: "Mean tokens written per episode: what a budget limits." },
  { name: "tokens/written/{agent}", unit: "tokens", meaning: "Tokens that an agent wrote in all episodes." },
  { name: "tokens/read/{agent}", unit: "tokens", meaning: "Tokens of messages that an agent read in all episodes." },

  { name: "silence/frac", unit: "share", meaning: "Share of turns without a word." },
  { name: "silence/{agent}/frac", unit: "share", meaning: "Share of an agent's turns without a word." },
  { name: "stop/{reason}", unit: "episodes", meaning: "Episodes that ended for a reason." },

  { name: "response_length/mean", unit: "tokens", meaning: "Mean tokens of a trained utterance." },
  { name: "response_length/min", unit: "tokens", meaning: "Tokens of the shortest trained utterance." },
  { name: "response_length/max", unit: "tokens", meaning: "Tokens of the longest trained utterance." },
  {
    name: "response_length/clip_ratio",
    unit: "share",
    meaning: "Share of trained utterances that were cut at their ceiling.",
  },
  {
    name: "response_length/empty",
    unit: "utterances",
    meaning: "Utterances of trained agents without a single token, left out.",
  },

  { name: "actor/pg_loss", unit: "", meaning: "Loss of the objective, mean over minibatches." },
  { name: "actor/entropy", unit: "nats", meaning: "Mean entropy per trained token in nats." },
  { name: "actor/grad_norm", unit: "", meaning: "Global gradient norm before clipping, mean over optimiser steps." },
  {
    name: "actor/skipped_steps",
    unit: "optimiser steps",
    meaning: "Optimiser steps left out because the gradient was not finite.",
  },
  { name: "optim/lr", unit: "", meaning: "Learning rate of the last optimiser step." },
  {
    name: "actor/tokens_passed",
    unit: "tokens",
    meaning: "Tokens of the sequences that the update's passes went over.",
  },
  {
    name: "actor/rows_passed",
    unit: "tokens",
    meaning: "The same with prefixes that sequences share counted once, as the engine passed them.",
  },
  {
    name: "actor/shared_token_fraction",
    unit: "share",
    meaning: "Part of the tokens that was not passed again: 1 - rows / tokens.",
  },
  {
    name: "supervised/loss",
    unit: "nats",
    meaning:
      "Mean cross-entropy of the supervised examples of the step in nats per learned token, before each optimiser step.",
  },
  {
    name: "supervised/tokens",
    unit: "tokens",
    meaning: "Tokens of supervised examples that were learned in the step.",
  },

  {
    name: "sampling/logp_difference_mean",
    unit: "nats",
    meaning: "Mean |log π_old of the trainer - of the sampler| per token; 0 for the same kernels.",
  },
  { name: "sampling/logp_difference_max", unit: "nats", meaning: "Largest such difference." },
  {
    name: "language/perplexity/{agent}",
    unit: "perplexity",
    meaning:
      "Perplexity of an agent's words under the policy before the first step, without the token that ended them; where that policy is kept.",
  },

  { name: "ratio/mean", unit: "", meaning: "Mean probability ratio of new to old policy, per unit of the objective." },
  { name: "ratio/min", unit: "", meaning: "Smallest ratio." },
  { name: "ratio/max", unit: "", meaning: "Largest ratio." },
  {
    name: "importance_weight/mean",
    unit: "",
    meaning:
      "Mean importance ratio of old to sampling policy, before its cap; where samples are older, or the objective asks for it.",
  },
  { name: "importance_weight/min", unit: "", meaning: "Smallest such ratio." },
  { name: "importance_weight/max", unit: "", meaning: "Largest such ratio." },
  { name: "advantages/mean", unit: "", meaning: "Mean advantage." },
  { name: "advantages/min", unit: "", meaning: "Smallest advantage." },
  { name: "advantages/max", unit: "", meaning: "Largest advantage." },
  {
    name: "actor/ppo_kl",
    unit: "nats",
    meaning: "Mean of log π_old - log π per token: the k1 estimate of the divergence.",
  },
  {
    name: "approx_kl/k3",
    unit: "nats",
    meaning: "Mean of ratio - 1 - log ratio per token: the k3 estimate, never negative.",
  },
  {
    name: "actor/kl_loss",
    unit: "nats",
    meaning:
      "Mean estimate per token of the divergence from the reference policy; with objective.kl, or an objective that needs one.",
  },
  { name: "actor/pg_clipfrac", unit: "share", meaning: "Share of ratios that the clip stopped." },
  { name: "clip_ratio/low_mean", unit: "share", meaning: "Share of ratios stopped at the lower end." },
  { name: "clip_ratio/high_mean", unit: "share", meaning: "Share of ratios stopped at the upper end." },
  {
    name: "frac_reward_zero_std",
    unit: "share",
    meaning: "Share of groups whose rewards are all equal: they teach nothing.",
  },
  {
    name: "frac_zero_std/{term}",
    unit: "share",
    meaning: "Share of groups whose term is equal throughout; decoupled advantages only.",
  },
  { name: "groups/size_one", unit: "groups", meaning: "Groups with a single applicable reward: they teach nothing." },
  {
    name: "rewards/not_applicable",
    unit: "rewards",
    meaning: "Rewards that are NaN and were left out of their group.",
  },
  {
    name: "ratio_clamped",
    unit: "ratios",
    meaning: "Ratios, of tokens or of sequences, whose log was clamped before its exponential.",
  },
  { name: "log_ratio_abs_max", unit: "nats", meaning: "Largest absolute log-ratio of a token." },
  { name: "reward_std", unit: "reward", meaning: "Mean sample standard deviation of the rewards of a group." },
  { name: "empty_sequences", unit: "share", meaning: "Share of sequences without a trained token." },
  {
    name: "clip_ratio/region/{length}",
    unit: "share",
    meaning:
      "Share of ratios that the clip stopped, of sequences by number of tokens; objectives with a ratio a sequence only.",
  },
  {
    name: "sampling/ess",
    unit: "share",
    meaning: "Effective sample size of the importance weights, as a share of the samples.",
  },
  { name: "off_policy/dropped", unit: "share", meaning: "Share of sequences that the off-policy mask left out." },

  {
    name: "reward/own_mean",
    unit: "reward",
    meaning: "Mean reward of a policy whose own agents' words have a price of their own.",
  },
  { name: "budget/own_lambda", unit: "reward/token", meaning: "That price of a token." },
  { name: "budget/own_tokens", unit: "tokens", meaning: "Mean tokens that the policy's agents wrote per episode." },

  {
    name: "budget/{cost}/lambda",
    unit: "reward/unit",
    meaning: "Price of a token in this step, λ of Eq. 1; of other costs with a budget, the price of the next step.",
  },
  {
    name: "budget/{cost}/target",
    unit: "units",
    meaning: "Mean units of the cost aimed at; above the budget while it anneals.",
  },
  { name: "budget/{cost}/used_frac", unit: "share", meaning: "Mean units over the budget." },
  { name: "budget/{cost}/saturated", unit: "", meaning: "1 while the price is at its maximum." },
  {
    name: "budget/{cost}/held",
    unit: "",
    meaning: "1 while a cost below budget does not lower the price, because too many episodes are truncated.",
  },
  { name: "budget/{cost}/guarded", unit: "", meaning: "1 while the guard keeps the price from rising." },

  {
    name: "opponents/pool",
    unit: "opponents",
    meaning: "Opponents in the pool after the step; runs with opponents only, as the next three.",
  },
  {
    name: "opponents/latest_frac",
    unit: "share",
    meaning: "Share of episodes without an opponent, in which all learn.",
  },
  { name: "opponents/games/{opponent}", unit: "games", meaning: "Training games against an opponent so far." },
  {
    name: "opponents/win_rate/{opponent}",
    unit: "share",
    meaning: "Share of these games that who learns won; a draw counts half. Of team rewards the mean grade.",
  },
];

/** Names in `timing.jsonl`. */
const timingNames: readonly MetricName[] = [
  { name: "timing_s/{phase}", unit: "s", meaning: "Seconds of a phase of the step." },
  { name: "perf/tokens_per_s", unit: "tokens/s", meaning: "Tokens written per second of the step." },
  { name: "perf/servers_up", unit: "servers", meaning: "Sampling servers that answer." },
  { name: "perf/servers_quarantined", unit: "servers", meaning: "Sampling servers that are in quarantine." },
  { name: "perf/replies_thrown_away", unit: "replies", meaning: "Replies of sampling servers that were rejected." },
  {
    name: "perf/server_gap_max",
    unit: "nats",
    meaning: "Largest mean |log-prob of the trainer - of a sampling server|, of any server.",
  },
];

/** The entry that a metric of a run belongs to; those of several policies stand under `policy/NAME/`. */
export function describeMetric(metric: string): MetricName | undefined {
  const own = metric.replace(/^policy\/[\w-]+\//u, "");
  return [...metricNames, ...timingNames].find(({ name }) => metricPattern(name).test(own));
}

/** Matches the metrics of an entry: a placeholder stands for any text. */
export function metricPattern(name: string): RegExp {
  const parts = name.split(/\{\w+\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".+")}$`);
}
