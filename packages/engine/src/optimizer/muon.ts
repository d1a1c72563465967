import type { AdamWStep, AdamWTensors, Kernels, Tensor } from "../kernels/index.ts";

const momentum = 0.95;
/** See Jordan et al. 2024. */
const [a, b, c] = [3.4445, -4.775, 2.0315] as const;
const iterations = 5;
const epsilon = 1e-7;

/**
 * Takes one step as `torch.optim.Muon` with Nesterov momentum does: matrices move by their orthogonalised momentum.
 * The rate is times sqrt(max(1, rows / columns)). `first` keeps the momentum; `second` is unused.
 */
export async function muonStep(
  kernels: Kernels,
  tensors: readonly AdamWTensors[],
  { learningRate, weightDecay }: Pick<AdamWStep, "learningRate" | "weightDecay">,
): Promise<void> {
  const updates = tensors.map(({ grad, first }) =>
    kernels.scope(() => {
      kernels.accumulate(first, kernels.add(kernels.scaled(first, momentum - 1), kernels.scaled(grad, 1 - momentum)));
      const update = kernels.add(kernels.scaled(grad, 1 - momentum), kernels.scaled(first, momentum));
      return { update: kernels.keep(update), squares: kernels.keep(kernels.sumSquares([update])) };
    }),
  );
  for (const [i, { update, squares }] of updates.entries()) {
    const norm = Math.sqrt((await kernels.read(squares))[0]!);
    const { param, master = param } = tensors[i]!;
    const [rows = 1, columns = 1] = param.shape;
    kernels.scope(() => {
      const direction = orthogonalised(kernels, kernels.scaled(update, 1 / Math.max(norm, epsilon)));
      const rate = learningRate * Math.sqrt(Math.max(1, rows / columns));
      kernels.accumulate(master, kernels.scaled(kernels.copy(master), -learningRate * weightDecay));
      kernels.accumulate(master, kernels.scaled(kernels.copy(direction, "full"), -rate));
      if (master !== param) kernels.assign([param], [master]);
    });
    kernels.free(update, squares);
  }
}

/** Newton-Schulz iteration: the singular values of x, with norm 1, move towards 1. */
function orthogonalised(kernels: Kernels, x: Tensor): Tensor {
  const [rows = 1, columns = 1] = x.shape;
  const isTall = rows > columns;
  const size = Math.min(rows, columns);
  const square = kernels.zeros([size, size], "working");
  let result = kernels.copy(x, "working");
  for (let i = 0; i < iterations; i++) {
    const gram = isTall ? gramOfColumns(kernels, result, square) : kernels.linear(result, result);
    const mixed = kernels.add(kernels.scaled(gram, b), kernels.scaled(kernels.linear(gram, gram), c));
    const product = isTall
      ? kernels.linear(result, mixed)
      : kernels.linearBackward(mixed, result, result, { input: true, weight: false, bias: false }).dX!;
    result = kernels.add(kernels.scaled(result, a), product);
  }
  return result;
}

/** x^T x */
function gramOfColumns(kernels: Kernels, x: Tensor, square: Tensor): Tensor {
  const { dWeight } = kernels.linearBackward(x, x, square, { input: false, weight: true, bias: false });
  return kernels.copy(dWeight!, "working");
}
