import type { Tensor } from "../../contract.ts";
import type { Bench } from "./bench.ts";
import { agreesWithReference, type KernelCase } from "./kernel-case.ts";

/** Rows, width, vocabulary. */
const sizes: readonly (readonly [number, number, number])[] = [
  [1, 6, 1],
  [1, 6, 5],
  [7, 6, 45],
  [3, 20, 1000],
  [130, 16, 45],
];

export const headCases: readonly KernelCase[] = [
  ...sizes.map(([rows, width, vocabulary]) =>
    agreesWithReference(`headLogProbs and its gradients: ${rows} rows of ${width}, vocabulary ${vocabulary}`, (bench) =>
      headBothWays(bench, rows, width, vocabulary, 1),
    ),
  ),
  // More logits than a device may hold at once; the split must not change results.
  agreesWithReference("headLogProbs in pieces: 4,300 rows, vocabulary 1,000", (bench) =>
    headBothWays(bench, 4300, 2, 1000, 1),
  ),
  agreesWithReference("headLogits: 7 rows of 6, vocabulary 45", (bench) => ({
    logits: bench.kernels.headLogits(bench.floats("hidden", [7, 6]), bench.weight("weight", [45, 6])),
  })),
  agreesWithReference("headLogProbsBackward leaves the weight's gradient out where it is not needed", (bench) => {
    const { kernels } = bench;
    const saved = {
      hidden: bench.floats("hidden", [3, 6]),
      weight: bench.weight("weight", [5, 6]),
      targets: bench.ints("targets", [4, 0, 2]),
      inverseTemperature: bench.fullValues("inverseTemperature", [1, 2, 1]),
    };
    const { logSumExp } = kernels.headLogProbs(saved.hidden, saved.weight, saved.targets, saved.inverseTemperature);
    const dLogProbs = bench.full("dLogProbs", [3]);
    return { ...kernels.headLogProbsBackward(dLogProbs, { ...saved, logSumExp }, { weight: false }) };
  }),
  // Logits of several hundred amplify rounding errors in the exponential.
  agreesWithReference(
    "headLogProbs: logits of several hundred do not overflow",
    (bench) => headBothWays(bench, 5, 16, 45, 16),
    100,
  ),
];

function headBothWays(
  bench: Bench,
  rows: number,
  width: number,
  vocabulary: number,
  size: number,
): Readonly<Record<string, Tensor>> {
  const { kernels } = bench;
  const [hidden, weight] = [bench.floats("hidden", [rows, width]), bench.weight("weight", [vocabulary, width], size)];
  const targets = bench.ints(
    "targets",
    Array.from({ length: rows }, (_, m) => (m * (vocabulary - 1)) % vocabulary),
  );
  const inverseTemperature = bench.fullValues(
    "inverseTemperature",
    Array.from({ length: rows }, (_, m) => [1, 0.5, 2, 1.25][m % 4] as number),
  );
  const forward = kernels.headLogProbs(hidden, weight, targets, inverseTemperature);
  const saved = { hidden, weight, targets, inverseTemperature, logSumExp: forward.logSumExp };
  return { ...forward, ...kernels.headLogProbsBackward(bench.full("dLogProbs", [rows]), saved, { weight: true }) };
}
