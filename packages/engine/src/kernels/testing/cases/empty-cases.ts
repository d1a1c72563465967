import { attentionShapeOf } from "./attention-cases.ts";
import { agreesWithReference, type KernelCase } from "./kernel-case.ts";

/** A batch with only empty completions has no rows and is valid. */
export const emptyCases: readonly KernelCase[] = [
  agreesWithReference("zero rows: dense products, norms, activation and table rows", (bench) => {
    const { kernels } = bench;
    const [x, weight, norm] = [bench.floats("x", [0, 6]), bench.floats("w", [5, 6]), bench.floats("norm", [6])];
    const none = bench.ints("none", []);
    const { out, invRms } = kernels.rmsNorm(x, norm, 1e-6);
    const ofNorm = kernels.rmsNormBackward(x, x, norm, invRms);
    return {
      out,
      sum: kernels.add(x, x),
      linear: kernels.linear(x, weight),
      ...kernels.linearBackward(bench.floats("dOut", [0, 5]), x, weight, { input: true, weight: true, bias: true }),
      dNormX: ofNorm.dX,
      dNormWeight: ofNorm.dWeight,
      swiGlu: kernels.swiGlu(x, x),
      ...kernels.swiGluBackward(x, x, x),
      rotary: kernels.rotary(x, bench.rotaryTables(3, 6), none, 1),
      gathered: kernels.gatherRows(weight, none),
      scattered: kernels.scatterAddRows(x, none, 4),
    };
  }),
  agreesWithReference("zero rows: attention without sequences", (bench) => {
    const { kernels } = bench;
    const [q, k] = [bench.floats("q", [0, 12]), bench.floats("k", [0, 6])];
    const [shape, layout] = [attentionShapeOf(2, 1, 6), bench.layout([])];
    const { out, logSumExp } = kernels.attention(q, k, k, shape, layout);
    return { out, logSumExp, ...kernels.attentionBackward(q, { q, k, v: k, out, logSumExp }, shape, layout) };
  }),
  agreesWithReference("zero rows: a head that predicts nothing", (bench) => {
    const { kernels } = bench;
    const [hidden, weight] = [bench.floats("hidden", [0, 6]), bench.floats("w", [5, 6])];
    const [targets, inverseTemperature] = [bench.ints("targets", []), bench.fullValues("beta", [])];
    const forward = kernels.headLogProbs(hidden, weight, targets, inverseTemperature);
    const saved = { hidden, weight, targets, inverseTemperature, logSumExp: forward.logSumExp };
    return { ...forward, ...kernels.headLogProbsBackward(bench.fullValues("d", []), saved, { weight: true }) };
  }),
];
