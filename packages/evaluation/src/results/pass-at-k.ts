import { LaconicError } from "@laconic/core";

/**
 * The unbiased estimate of pass@k for one problem (Chen et al. 2021, Eq. 1): the chance that k of n samples, drawn without
 * replacement, hold a correct one.
 * @param n - samples
 * @param c - correct ones
 * @throws LaconicError `input_invalid` unless 0 <= c <= n and 1 <= k <= n
 */
export function passAtK(n: number, c: number, k: number): number {
  if (![n, c, k].every((each) => Number.isInteger(each)) || c < 0 || c > n || k < 1 || k > n)
    throw new LaconicError(
      "input_invalid",
      `pass@${k} of ${n} samples, ${c} correct: needs 0 <= c <= n and 1 <= k <= n`,
      { n, c, k },
    );
  let allWrong = 1; // with a factor of 0 where fewer than k are wrong
  for (let i = n - c + 1; i <= n; i++) allWrong *= 1 - k / i;
  return 1 - allWrong;
}

/**
 * The mean of pass@k over problems.
 * @param results - samples and correct ones of each problem
 * @returns null when a problem has fewer than k samples: such a k is not reported
 */
export function meanPassAtK(results: readonly { readonly n: number; readonly c: number }[], k: number): number | null {
  if (results.length === 0 || results.some(({ n }) => n < k)) return null;
  return results.reduce((sum, { n, c }) => sum + passAtK(n, c, k), 0) / results.length;
}
