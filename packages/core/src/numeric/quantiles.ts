/** Coefficients of Lanczos's approximation of the gamma function, g = 7 (Godfrey 2001): 15 digits. */
const lanczos = [
  676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
] as const;

/** Logarithm of the gamma function of a positive number. */
function logGamma(x: number): number {
  const sum = lanczos.reduce((total, coefficient, i) => total + coefficient / (x + i), 0.99999999999980993);
  const t = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

/** Regularised incomplete beta function: probability of Beta(a, b) below `x`, by its continued fraction (DLMF 8.17.22). */
function betaProbability(x: number, a: number, b: number): number {
  // The fraction converges fast below the mean only.
  if (x > (a + 1) / (a + b + 2)) return 1 - betaProbability(1 - x, b, a);
  const front = logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x);
  const odd = (m: number): number => (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
  let fraction = 1;
  for (let m = 50 + Math.ceil(2 * Math.sqrt(Math.max(a, b))); m > 0; m--) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    fraction = 1 + even / (1 + odd(m) / fraction);
  }
  return Math.exp(front) / (a * (1 + odd(0) / fraction));
}

/** Quantile of the Beta(a, b) distribution, a and b positive; relative error below 1e-9. */
export function betaQuantile(probability: number, a: number, b: number): number {
  let [low, high] = [0, 1];
  // 100 halvings reach neighbouring doubles for quantiles above 1e-14.
  for (let i = 0; i < 100; i++) {
    const middle = (low + high) / 2;
    if (betaProbability(middle, a, b) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Quantile of Student's t distribution above its median; `freedom` may be a fraction. */
export function studentQuantile(probability: number, freedom: number): number {
  return Math.sqrt(freedom * (1 / betaQuantile(2 * (1 - probability), freedom / 2, 0.5) - 1));
}

/** Probability that Student's t lies as far from 0 as `t` does, on either side; `freedom` may be a fraction. */
export function studentTails(t: number, freedom: number): number {
  return betaProbability(freedom / (freedom + t * t), freedom / 2, 0.5);
}
