import { studentQuantile } from "./quantiles.ts";

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

/** Results of the trials of one question. */
export interface Cluster {
  readonly successes: number;
  readonly trials: number;
}

/**
 * Wilson's interval of a share whose trials come in clusters, such as the repeats of a question: the interval of as many
 * independent trials as would vary as much. Their variance is the one by cluster (Miller 2024, "Adding Error Bars to Evals",
 * Eq. 4), widened by Student's t, because few clusters hardly show their variance. Their number is the trials over the design
 * effect (Kish 1965), at least one a cluster. With one trial a cluster this is {@link wilsonInterval}.
 */
export function clusteredWilsonInterval(clusters: readonly Cluster[]): [low: number, high: number] {
  const asked = clusters.filter(({ trials }) => trials > 0);
  const [n, trials] = [asked.length, asked.reduce((sum, each) => sum + each.trials, 0)];
  if (trials === 0) return [0, 1];
  const p = asked.reduce((sum, each) => sum + each.successes, 0) / trials;
  const independent = trials * p * (1 - p);
  const clustered = asked.reduce((sum, each) => sum + (each.successes - p * each.trials) ** 2, 0);
  // One cluster, and trials that are all right or all wrong, do not show how alike trials of a cluster are.
  const isUnknown = n === 1 || independent === 0;
  const widening = isUnknown ? 1 : (n / (n - 1)) * (studentQuantile(0.975, n - 1) / z) ** 2;
  const effective = isUnknown ? n : Math.min(trials, Math.max(n, (trials * independent) / (clustered * widening)));
  return wilsonInterval(p * effective, effective);
}
