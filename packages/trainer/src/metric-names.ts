/** A metric, or a family of metrics with a `{placeholder}`. */
export interface MetricName {
  readonly name: string;
  /** `share` is 0..1, displayed in percent; empty for a plain number. */
  readonly unit: string;
  readonly meaning: string;
}

function rowsOf(table: string): readonly MetricName[] {
  return table
    .trim()
    .split("\n")
    .map((line) => {
      const [name = "", unit = "", meaning = ""] = line.split(" | ");
      return { name, unit, meaning };
    });
}

/**
 * Names in `metrics.jsonl`, in file order. Policies' metrics have the prefix `policy/NAME/` if there are several. Means
 * are over a step's episodes unless stated.
 */
export const metricNames: readonly MetricName[] = rowsOf(`
step | steps | Steps done, this one included.
progress/done_frac | share | Share of the configured steps that are done.
reward/mean | reward | Mean reward of Eq. 1; episodes that the task does not apply to are left out.
reward/std | reward | Sample standard deviation of the reward over the batch.
rewards/{term}/mean | reward | Mean of one signed term of the reward.
rewards/{term}/std | reward | Sample standard deviation of the term over the batch.
reward/agent/{agent} | reward | Mean of the terms that an agent has of its own.
measures/{measure} |  | Mean of what a reward counts beside its terms, such as levels of a writing reward.
task/accuracy | share | Mean grade of the training episodes that have one, 0 to 1.
scoring/scored | answers | Answers that got a grade, 0 to 1.
scoring/undecided | answers | Answers without one because of the machine, such as a sandbox that did not start; left out.
scoring/invalid | answers | Answers whose grade was NaN or out of range; left out.
scoring/error | answers | Answers whose grader or judge threw, or was late; left out.
sampling/lag_steps | steps | Mean age of the weights behind a group; asynchronous runs only, as the next eight.
sampling/lag_steps_p99 | steps | The same of the group of rank 99 %.
sampling/lag_steps_max | steps | The same of the oldest group.
queue/utilisation | share | Episodes in play as a share of those allowed (asynchronous.activeGroups), mean since the last step.
queue/active_groups | groups | Groups that are played when the step is done.
queue/complete_groups | groups | Complete groups that wait for the next steps.
queue/dropped_stale | groups | Groups dropped since the last step because they were too old; named in dropped.jsonl.
queue/dropped_failed | groups | Groups dropped because an episode failed more often than asynchronous.retries; see dropped.jsonl.
queue/retried_episodes | episodes | Episodes that failed and were played again.
credit/replays | episodes | Episodes that were played again for the credit of messages.
rewards/evaluations | replies | Joint replies that were judged; rollout trees only. MAGRPO's env steps.
by_group/frac_all_good | share | Share of groups whose episodes all have grade 1.
by_group/frac_all_bad | share | Share of groups whose episodes all have grade 0.
by_group/frac_mixed | share | Share of the other groups: they teach the task.
tokens/total | tokens | Tokens written by all agents in all episodes, end tokens included.
tokens/episode_mean | tokens | Mean tokens written per episode: what a budget limits.
tokens/written/{agent} | tokens | Tokens that an agent wrote in all episodes.
tokens/read/{agent} | tokens | Tokens of messages that an agent read in all episodes.
silence/frac | share | Share of turns without a word.
silence/{agent}/frac | share | Share of an agent's turns without a word.
stop/{reason} | episodes | Episodes that ended for a reason.
response_length/mean | tokens | Mean tokens of a trained utterance.
response_length/min | tokens | Tokens of the shortest trained utterance.
response_length/max | tokens | Tokens of the longest trained utterance.
response_length/clip_ratio | share | Share of trained utterances that were cut at their ceiling.
response_length/empty | utterances | Utterances of trained agents without a single token, left out.
actor/pg_loss |  | Loss of the objective, mean over minibatches.
actor/entropy | nats | Mean entropy per trained token in nats.
actor/grad_norm |  | Global gradient norm before clipping, mean over optimizer steps.
actor/skipped_steps | optimizer steps | Optimizer steps left out because the gradient was not finite.
optim/lr |  | Learning rate of the last optimizer step.
actor/tokens_passed | tokens | Tokens of the sequences that the update's passes went over.
actor/rows_passed | tokens | The same with prefixes that sequences share counted once, as the engine passed them.
actor/shared_token_fraction | share | Part of the tokens that was not passed again: 1 - rows / tokens.
supervised/loss | nats | Mean cross-entropy of the step's supervised examples per learned token, before each optimizer step.
supervised/tokens | tokens | Tokens of supervised examples that were learned in the step.
sampling/logp_difference_mean | nats | Mean |log π_old of the trainer - of the sampler| per token; 0 for the same kernels.
sampling/logp_difference_max | nats | Largest such difference.
language/perplexity/{agent} | perplexity | Perplexity of an agent's words, end token left out, under the first policy; where that policy is kept.
ratio/mean |  | Mean probability ratio of new to old policy, per unit of the objective.
ratio/min |  | Smallest ratio.
ratio/max |  | Largest ratio.
importance_weight/mean |  | Mean importance ratio of old to sampling policy before its cap, where samples are weighed.
importance_weight/min |  | Smallest such ratio.
importance_weight/max |  | Largest such ratio.
advantages/mean |  | Mean advantage.
advantages/min |  | Smallest advantage.
advantages/max |  | Largest advantage.
actor/ppo_kl | nats | Mean of log π_old - log π per token: the k1 estimate of the divergence.
approx_kl/k3 | nats | Mean of ratio - 1 - log ratio per token: the k3 estimate, never negative.
actor/kl_loss | nats | Mean estimate per token of the divergence from the reference policy, where the objective has one.
actor/pg_clipfrac | share | Share of ratios that the clip stopped.
clip_ratio/low_mean | share | Share of ratios stopped at the lower end.
clip_ratio/high_mean | share | Share of ratios stopped at the upper end.
frac_reward_zero_std | share | Share of groups whose rewards are all equal: they teach nothing.
frac_zero_std/{term} | share | Share of groups whose term is equal throughout; decoupled advantages only.
groups/size_one | groups | Groups with a single applicable reward: they teach nothing.
rewards/not_applicable | rewards | Rewards that are NaN and were left out of their group.
ratio_clamped | ratios | Ratios, of tokens or of sequences, whose log was clamped before its exponential.
log_ratio_abs_max | nats | Largest absolute log-ratio of a token.
reward_std | reward | Mean sample standard deviation of the rewards of a group.
empty_sequences | share | Share of sequences without a trained token.
clip_ratio/region/{length} | share | Share of ratios that the clip stopped, by sequence length; objectives with a ratio a sequence only.
sampling/ess | share | Effective sample size of the importance weights, as a share of the samples.
off_policy/dropped | share | Share of sequences that the off-policy mask left out.
reward/own_mean | reward | Mean reward of a policy whose own agents' words have a price of their own.
budget/own_lambda | reward/token | That price of a token.
budget/own_tokens | tokens | Mean tokens that the policy's agents wrote per episode.
budget/{cost}/lambda | reward/unit | Price of a token in this step, λ of Eq. 1; of other costs, the price of the next step.
budget/{cost}/target | units | Mean units of the cost aimed at; above the budget while it anneals.
budget/{cost}/used_frac | share | Mean units over the budget.
budget/{cost}/saturated |  | 1 while the price is at its maximum.
budget/{cost}/held |  | 1 while too many truncated episodes keep the price from falling.
budget/{cost}/guarded |  | 1 while the guard keeps the price from rising.
opponents/pool | opponents | Opponents in the pool after the step; runs with opponents only, as the next three.
opponents/latest_frac | share | Share of episodes without an opponent, in which all learn.
opponents/games/{opponent} | games | Training games against an opponent so far.
opponents/win_rate/{opponent} | share | Share of these games that the learner won, a draw as half. Of team rewards the mean grade.
`);

const timingNames = rowsOf(`
timing_s/{phase} | s | Seconds of a phase of the step.
perf/tokens_per_s | tokens/s | Tokens written per second of the step.
perf/process_memory_gib | GiB | Resident memory of the trainer's process after the step.
perf/device_memory_gib | GiB | Memory in use on the fullest GPU after the step, by all processes.
perf/servers_up | servers | Sampling servers that answer.
perf/servers_quarantined | servers | Sampling servers that are in quarantine.
perf/replies_thrown_away | replies | Replies of sampling servers that were rejected.
perf/server_gap_max | nats | Largest mean |log-prob of the trainer - of a sampling server|, of any server.
`);

/** Returns a metric's entry, without the prefix `policy/NAME/`. */
export function describeMetric(metric: string): MetricName | undefined {
  const teamMetric = metric.replace(/^policy\/[\w-]+\//u, "");
  return [...metricNames, ...timingNames].find(({ name }) => metricPattern(name).test(teamMetric));
}

export function metricPattern(name: string): RegExp {
  const parts = name.split(/\{\w+\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".+")}$`);
}
