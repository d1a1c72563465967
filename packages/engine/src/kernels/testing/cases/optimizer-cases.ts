import type { AdamWStep, GradientClip, Tensor } from "../../contract.ts";
import type { Bench } from "./bench.ts";
import { agreesWithReference, type KernelCase } from "./kernel-case.ts";

/** Exact in float32, also 1 minus it. PyTorch's CUDA kernel rounds 0.999, an error of 1.3e-5 of the moment. */
export const beta2: number = 1 - 2 ** -10;

const plain: AdamWStep = {
  learningRate: 0.125,
  beta1: 0.9,
  beta2,
  epsilon: 1e-8,
  weightDecay: 0,
  step: 1,
};

function clip(bench: Bench, squares: number, maxNorm: number): GradientClip {
  return { squares: bench.fullValues(`squares ${squares}`, [squares]), maxNorm };
}

interface Trained {
  readonly param: Tensor;
  readonly first: Tensor;
  readonly second: Tensor;
}

function train(bench: Bench, label: string, shape: readonly number[], steps: readonly Partial<AdamWStep>[]): Trained {
  const { kernels } = bench;
  const param = bench.state(label, shape);
  const moments = bench.moments(param);
  steps.forEach((change, i) =>
    kernels.adamW([{ param, grad: bench.state(`${label} gradient ${i}`, shape, "full"), ...moments }], {
      ...plain,
      step: i + 1,
      ...change,
    }),
  );
  return { param, first: moments.first, second: moments.second };
}

export const optimizerCases: readonly KernelCase[] = [
  ...[
    [1, 1],
    [3, 5],
    [4, 4],
    [33, 31],
  ].map((shape) =>
    agreesWithReference(`adamW: three steps on [${shape.join(", ")}]`, (bench) => ({
      ...train(bench, "w", shape, [{}, {}, {}]),
    })),
  ),
  agreesWithReference("adamW: decay, clipping, betas, epsilon and learning rate all act", (bench) => ({
    ...train(
      bench,
      "w",
      [7],
      [
        { weightDecay: 0.1, clip: clip(bench, 16, 1) },
        { weightDecay: 0.5, learningRate: 0.5, epsilon: 0.5, clip: clip(bench, 4, Infinity) },
        { beta1: 0.5, beta2: 0.75, clip: clip(bench, 4, 3) },
      ],
    ),
  })),
  agreesWithReference("adamW: continues from given moments at a late step", (bench) => {
    const param = bench.state("w", [9]);
    const first = bench.kernels.upload(
      Float64Array.from({ length: 9 }, (_, i) => (i - 4) / 4),
      [9],
      "full",
    );
    const second = bench.kernels.upload(
      Float64Array.from({ length: 9 }, (_, i) => i / 4),
      [9],
      "full",
    );
    const { master } = bench.moments(param);
    const grad = bench.state("g", [9], "full");
    bench.kernels.adamW([{ param, grad, first, second, ...(master && { master }) }], {
      ...plain,
      step: 1000,
      weightDecay: 0.1,
    });
    return { param, first, second };
  }),
  agreesWithReference("adamW: a gradient of zero moves nothing", (bench) => {
    const [param, grad] = [bench.state("w", [5]), bench.kernels.zeros([5], "full")];
    const moments = bench.moments(param);
    bench.kernels.adamW([{ param, grad, ...moments }], plain);
    return { param };
  }),
  agreesWithReference("every operation sees a weight as it is after an update", (bench) => {
    const { kernels } = bench;
    const x = bench.floats("x", [3, 6]);
    const weight = bench.state("w", [5, 6]);
    const moments = bench.moments(weight);
    const targets = bench.ints("targets", [4, 0, 2]);
    const inverseTemperature = bench.fullValues("inverseTemperature", [1, 1, 1]);
    const results: Record<string, Tensor> = {};
    // Each pass uses the weight first, so that cached data becomes stale.
    for (const step of [1, 2, 3]) {
      const head = kernels.headLogProbs(x, weight, targets, inverseTemperature);
      const saved = { hidden: x, weight, targets, inverseTemperature, logSumExp: head.logSumExp };
      const backward = kernels.linearBackward(bench.floats("dOut", [3, 5]), x, weight, {
        input: true,
        weight: true,
        bias: false,
      });
      const headBackward = kernels.headLogProbsBackward(bench.full("dLogProbs", [3]), saved, { weight: true });
      Object.assign(results, {
        [`linear ${step}`]: kernels.linear(x, weight),
        [`dX ${step}`]: backward.dX,
        [`gathered ${step}`]: kernels.gatherRows(weight, targets),
        [`logProbs ${step}`]: head.logProbs,
        [`dHidden ${step}`]: headBackward.dHidden,
      });
      kernels.adamW([{ param: weight, grad: bench.state(`g${step}`, [5, 6], "full"), ...moments }], { ...plain, step });
    }
    return { ...results, last: kernels.linear(x, weight) };
  }),
  agreesWithReference("linear sees a weight as it is after accumulate", (bench) => {
    const { kernels } = bench;
    const [x, weight] = [bench.floats("x", [3, 6]), bench.state("w", [5, 6])];
    const before = kernels.linear(x, weight);
    kernels.accumulate(weight, bench.floats("delta", [5, 6]));
    return { before, after: kernels.linear(x, weight) };
  }),
  agreesWithReference("a copy does not follow its source's updates", (bench) => {
    const { param } = train(bench, "w", [5], []);
    const copy = bench.kernels.copy(param);
    const moments = bench.moments(param);
    bench.kernels.adamW([{ param, grad: bench.state("g", [5], "full"), ...moments }], plain);
    return { param, copy };
  }),
  agreesWithReference("sumSquares: all elements of all tensors", (bench) => ({
    one: bench.kernels.sumSquares([bench.floats("a", [1])]),
    many: bench.kernels.sumSquares([[7], [3, 5], [1], [33, 40]].map((shape, i) => bench.floats(`t${i}`, shape))),
  })),
];
