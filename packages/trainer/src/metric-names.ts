/** A metric, or a family of metrics where the name holds a `{placeholder}`. */
export interface MetricName {
  readonly name: string;
  readonly meaning: string;
}

/** Every name in `metrics.jsonl`, in its order; with several policies, what is one policy's stands under `policy/NAME/`. Means are over the episodes of a step unless they say otherwise. */
export const metricNames: readonly MetricName[] = [
  { name: "step", meaning: "Steps done, this one included." },
  { name: "progress/done_frac", meaning: "Share of the configured steps that are done." },

  { name: "reward/mean", meaning: "Mean reward of Eq. 1; episodes that the task does not apply to are left out." },
  { name: "reward/std", meaning: "Sample standard deviation of the reward over the batch." },
  { name: "rewards/{term}/mean", meaning: "Mean of one signed term of the reward." },
  { name: "rewards/{term}/std", meaning: "Sample standard deviation of the term over the batch." },
  { name: "reward/agent/{agent}", meaning: "Mean of the terms that an agent has of its own." },
  {
    name: "measures/{measure}",
    meaning:
      "Mean of what a reward counts beside its terms: levels of a writing reward, parts of a code reward, shares of cooperation schemes.",
  },
  { name: "task/accuracy", meaning: "Mean grade of the training episodes that have one, 0 to 1." },
  { name: "scoring/scored", meaning: "Answers that got a grade, 0 to 1." },
  {
    name: "scoring/undecided",
    meaning: "Answers without one because of the machine, such as a sandbox that did not start; left out.",
  },
  { name: "scoring/invalid", meaning: "Answers whose grade was NaN or out of range; left out." },
  { name: "scoring/error", meaning: "Answers whose grader or judge threw, or was late; left out." },

  {
    name: "sampling/lag_steps",
    meaning:
      "Steps that the weights behind a group were old, mean over the groups; asynchronous runs only, as the next nine.",
  },
  { name: "sampling/lag_steps_p99", meaning: "The same of the group of rank 99 %." },
  { name: "sampling/lag_steps_max", meaning: "The same of the oldest group." },
  {
    name: "queue/utilisation",
    meaning:
      "Episodes that were played, as a share of those that may be (asynchronous.activeGroups), mean over the time since the last step.",
  },
  { name: "queue/active_groups", meaning: "Groups that are played when the step is done." },
  { name: "queue/complete_groups", meaning: "Complete groups that wait for the next steps." },
  {
    name: "queue/dropped_stale",
    meaning: "Groups dropped since the last step because they were too old; named in dropped.jsonl.",
  },
  {
    name: "queue/dropped_failed",
    meaning: "Groups dropped because an episode failed more often than asynchronous.retries; named in dropped.jsonl.",
  },
  { name: "queue/retried_episodes", meaning: "Episodes that failed and were played again." },
  { name: "queue/cut_episodes", meaning: "Episodes that were cut off because the rest of their group was over." },
  { name: "rewards/evaluations", meaning: "Joint replies that were judged; rollout trees only. MAGRPO's env steps." },

  { name: "by_group/frac_all_good", meaning: "Share of groups whose episodes all have grade 1." },
  { name: "by_group/frac_all_bad", meaning: "Share of groups whose episodes all have grade 0." },
  { name: "by_group/frac_mixed", meaning: "Share of the other groups: they teach the task." },

  { name: "tokens/total", meaning: "Tokens written by all agents in all episodes, end tokens included." },
  { name: "tokens/episode_mean", meaning: "Mean tokens written per episode: what a budget limits." },
  { name: "tokens/written/{agent}", meaning: "Tokens that an agent wrote in all episodes." },
  { name: "tokens/read/{agent}", meaning: "Tokens of messages that an agent read in all episodes." },

  { name: "silence/frac", meaning: "Share of turns without a word." },
  { name: "silence/{agent}/frac", meaning: "Share of an agent's turns without a word." },
  { name: "stop/{reason}", meaning: "Episodes that ended for a reason." },

  { name: "response_length/mean", meaning: "Mean tokens of a trained utterance." },
  { name: "response_length/min", meaning: "Tokens of the shortest trained utterance." },
  { name: "response_length/max", meaning: "Tokens of the longest trained utterance." },
  { name: "response_length/clip_ratio", meaning: "Share of trained utterances that were cut at their ceiling." },
  { name: "response_length/empty", meaning: "Utterances of trained agents without a single token, left out." },

  { name: "actor/pg_loss", meaning: "Loss of the objective, mean over minibatches." },
  { name: "actor/entropy", meaning: "Mean entropy per trained token in nats." },
  { name: "actor/grad_norm", meaning: "Global gradient norm before clipping, mean over optimiser steps." },
  { name: "actor/skipped_steps", meaning: "Optimiser steps left out because the gradient was not finite." },
  { name: "optim/lr", meaning: "Learning rate of the last optimiser step." },
  { name: "actor/tokens_passed", meaning: "Tokens of the sequences that the update's passes went over." },
  {
    name: "actor/rows_passed",
    meaning: "The same with prefixes that sequences share counted once, as the engine passed them.",
  },
  { name: "actor/shared_token_fraction", meaning: "Part of the tokens that was not passed again: 1 - rows / tokens." },
  {
    name: "supervised/loss",
    meaning:
      "Mean cross-entropy of the supervised examples of the step in nats per learned token, before each optimiser step.",
  },
  { name: "supervised/tokens", meaning: "Tokens of supervised examples that were learned in the step." },

  {
    name: "sampling/logp_difference_mean",
    meaning: "Mean |log π_old of the trainer - of the sampler| per token; 0 for the same kernels.",
  },
  { name: "sampling/logp_difference_max", meaning: "Largest such difference." },
  {
    name: "language/perplexity/{agent}",
    meaning:
      "Perplexity of an agent's words under the policy before the first step, without the token that ended them; where that policy is kept.",
  },

  { name: "ratio/mean", meaning: "Mean probability ratio of new to old policy, per unit of the objective." },
  { name: "ratio/min", meaning: "Smallest ratio." },
  { name: "ratio/max", meaning: "Largest ratio." },
  {
    name: "importance_weight/mean",
    meaning:
      "Mean importance ratio of old to sampling policy, before its cap; where samples are older, or the objective asks for it.",
  },
  { name: "importance_weight/min", meaning: "Smallest such ratio." },
  { name: "importance_weight/max", meaning: "Largest such ratio." },
  { name: "advantages/mean", meaning: "Mean advantage." },
  { name: "advantages/min", meaning: "Smallest advantage." },
  { name: "advantages/max", meaning: "Largest advantage." },
  { name: "actor/ppo_kl", meaning: "Mean of log π_old - log π per token: the k1 estimate of the divergence." },
  { name: "approx_kl/k3", meaning: "Mean of ratio - 1 - log ratio per token: the k3 estimate, never negative." },
  {
    name: "actor/kl_loss",
    meaning:
      "Mean estimate per token of the divergence from the reference policy; with objective.kl, or an objective that needs one.",
  },
  { name: "actor/pg_clipfrac", meaning: "Share of ratios that the clip stopped." },
  { name: "clip_ratio/low_mean", meaning: "Share of ratios stopped at the lower end." },
  { name: "clip_ratio/high_mean", meaning: "Share of ratios stopped at the upper end." },
  { name: "frac_reward_zero_std", meaning: "Share of groups whose rewards are all equal: they teach nothing." },
  {
    name: "frac_zero_std/{term}",
    meaning: "Share of groups whose term is equal throughout; decoupled advantages only.",
  },
  { name: "groups/size_one", meaning: "Groups with a single applicable reward: they teach nothing." },
  { name: "rewards/not_applicable", meaning: "Rewards that are NaN and were left out of their group." },
  {
    name: "ratio_clamped",
    meaning: "Ratios, of tokens or of sequences, whose log was clamped before its exponential.",
  },
  { name: "log_ratio_abs_max", meaning: "Largest absolute log-ratio of a token." },
  { name: "reward_std", meaning: "Mean sample standard deviation of the rewards of a group." },
  { name: "empty_sequences", meaning: "Share of sequences without a trained token." },
  {
    name: "clip_ratio/region/{length}",
    meaning:
      "Share of ratios that the clip stopped, of sequences by number of tokens; objectives with a ratio a sequence only.",
  },
  { name: "sampling/ess", meaning: "Effective sample size of the importance weights, as a share of the samples." },
  { name: "off_policy/dropped", meaning: "Share of sequences that the off-policy mask left out." },

  { name: "reward/own_mean", meaning: "Mean reward of a policy whose own agents' words have a price of their own." },
  { name: "budget/own_lambda", meaning: "That price of a token." },
  { name: "budget/own_tokens", meaning: "Mean tokens that the policy's agents wrote per episode." },

  {
    name: "budget/{cost}/lambda",
    meaning: "Price of a token in this step, λ of Eq. 1; of other costs with a budget, the price of the next step.",
  },
  { name: "budget/{cost}/target", meaning: "Mean units of the cost aimed at; above the budget while it anneals." },
  { name: "budget/{cost}/used_frac", meaning: "Mean units over the budget." },
  { name: "budget/{cost}/saturated", meaning: "1 while the price is at its maximum." },
  {
    name: "budget/{cost}/held",
    meaning: "1 while a cost below budget does not lower the price, because too many episodes are truncated.",
  },
  { name: "budget/{cost}/guarded", meaning: "1 while the guard keeps the price from rising." },

  {
    name: "opponents/pool",
    meaning: "Opponents in the pool after the step; runs with opponents only, as the next three.",
  },
  { name: "opponents/latest_frac", meaning: "Share of episodes without an opponent, in which all learn." },
  { name: "opponents/games/{opponent}", meaning: "Training games against an opponent so far." },
  {
    name: "opponents/win_rate/{opponent}",
    meaning: "Share of these games that who learns won; a draw counts half. Of team rewards the mean grade.",
  },
];

/** The entry that a metric of a run belongs to; those of several policies stand under `policy/NAME/`. */
export function describeMetric(metric: string): MetricName | undefined {
  const own = metric.replace(/^policy\/[\w-]+\//u, "");
  return metricNames.find(({ name }) => metricPattern(name).test(own));
}

/** Matches the metrics of an entry: a placeholder stands for any text. */
export function metricPattern(name: string): RegExp {
  const parts = name.split(/\{\w+\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".+")}$`);
}
