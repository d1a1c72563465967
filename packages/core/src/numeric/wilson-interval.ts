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
