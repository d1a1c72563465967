/** The standard normal's 97.5 % quantile. */
const z = 1.959963984540054;

/** Wilson score interval of a share at 95 % (Wilson 1927): holds at 0 and at 1 too. Everything, without trials. */
export function wilsonInterval(successes: number, trials: number): [low: number, high: number] {
  if (trials === 0) return [0, 1];
  const p = successes / trials;
  const centre = p + (z * z) / (2 * trials);
  const half = z * Math.sqrt((p * (1 - p)) / trials + (z * z) / (4 * trials * trials));
  const scale = 1 + (z * z) / trials;
  return [Math.max(0, (centre - half) / scale), Math.min(1, (centre + half) / scale)];
}

/** What the trials of one question came to. */
export interface Cluster {
  readonly successes: number;
  readonly trials: number;
}

/**
 * Wilson's interval of a share whose trials come in clusters, such as the repeats of a question: that of as many independent trials
 * as would vary as much. Their variance is the one by cluster (Miller 2024, "Adding Error Bars to Evals", Eq. 4), their number the
 * trials over the design effect (Kish 1965). With one trial a cluster it is {@link wilsonInterval}.
 */
export function clusteredWilsonInterval(clusters: readonly Cluster[]): [low: number, high: number] {
  const asked = clusters.filter(({ trials }) => trials > 0);
  const trials = asked.reduce((sum, each) => sum + each.trials, 0);
  if (trials === 0) return [0, 1];
  const p = asked.reduce((sum, each) => sum + each.successes, 0) / trials;
  const independent = trials * p * (1 - p);
  const clustered = asked.reduce((sum, each) => sum + (each.successes - p * each.trials) ** 2, 0);
  // All right or all wrong: nothing shows how alike trials of a cluster are, so each cluster counts once.
  const effective = independent === 0 ? asked.length : Math.min(trials, (trials * independent) / clustered);
  return wilsonInterval(p * effective, effective);
}
