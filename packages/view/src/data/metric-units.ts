/** Units by what a metric is called; the first that fits holds. */
const units: readonly (readonly [name: RegExp, unit: string])[] = [
  [/^timing_s\//u, "s"],
  [/^perf\/tokens_per_s$/u, "tokens/s"],
  [/^perf\/server_gap_max$/u, "nats"],
  [/^(?:task\/accuracy|progress\/done_frac)$/u, "share"],
  [/(?:^|[/_])(?:frac|ratio|clipfrac|used_frac|utilisation|ess)(?:\/|_|$)/u, "share"],
  [/^(?:empty_sequences|off_policy\/dropped)$/u, "share"],
  [/^budget\/tokens\/lambda$|^budget\/own_lambda$/u, "reward/token"],
  [/^budget\/[^/]+\/lambda$/u, "reward/unit"],
  [/^budget\/tokens\/target$|^budget\/own_tokens$/u, "tokens"],
  [/^budget\/[^/]+\/target$/u, "units"],
  [/^(?:tokens\/|response_length\/(?:mean|min|max)$)/u, "tokens"],
  [/^language\/perplexity\//u, "perplexity"],
  [/^(?:actor\/entropy|actor\/ppo_kl|actor\/kl_loss|approx_kl\/|sampling\/logp_difference|log_ratio_abs_max)/u, "nats"],
  [/^sampling\/lag_steps/u, "steps"],
  [/^(?:reward|rewards)(?:\/|_)(?!not_applicable|evaluations)/u, "reward"],
  [/^stop\/|^queue\/cut_episodes|^queue\/retried_episodes/u, "episodes"],
  [/^(?:queue\/|groups\/)/u, "groups"],
  [/^scoring\//u, "answers"],
  [
    /^(?:rewards\/not_applicable|rewards\/evaluations|response_length\/empty|actor\/skipped_steps|ratio_clamped)$/u,
    "count",
  ],
];

/** Of a metric by its name; empty for a plain number. Those of several policies stand under `policy/NAME/`. */
export function metricUnit(name: string): string {
  const own = name.replace(/^policy\/[\w-]+\//u, "");
  if (/^(?:ratio|importance_weight|clip_ratio\/region)\//u.test(own)) return own.startsWith("clip") ? "share" : "";
  return units.find(([pattern]) => pattern.test(own))?.[1] ?? "";
}
