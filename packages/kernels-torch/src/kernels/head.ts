import { expectFloats, matrix, type Kernels, type Tensor } from "@laconic/kernels";
import { scalarType } from "../native/scalar-type.ts";
import { operator, type Handle } from "../native/torch.ts";
import type { TorchDevice } from "../torch-device.ts";
import { wideProduct } from "./linear.ts";

const mm = operator("aten::mm");
const exp = operator("aten::exp");
const multiply = operator("aten::mul", "Tensor");
const gather = operator("aten::gather");
const logSumExpOf = operator("aten::logsumexp");
const scatterAdd = operator("aten::scatter_add_");
const cat = operator("aten::cat");

/** Logits of at most this many elements are held at once: 64 MiB on the CPU, 2 GiB on a GPU. */
const maxLogits = { cpu: 1 << 24, cuda: 1 << 29 } as const;

/** One run of rows, and its logits over the temperature. */
interface Piece {
  readonly start: number;
  readonly count: number;
  readonly hidden: Handle;
  readonly targets: Handle;
  /** [count, 1]. */
  readonly inverseTemperature: Handle;
  /** [count, V], float32. */
  readonly logits: Handle;
}

/** The output layer and its log-softmax in float32, in pieces so that the logits never exist as a whole. */
export function headKernels(device: TorchDevice): Pick<Kernels, "headLogProbs" | "headLogProbsBackward"> {
  const { torch, store } = device;

  const pieces = <T>(
    input: { readonly hidden: Tensor; readonly weight: Tensor; readonly targets: Tensor; readonly beta: Tensor },
    body: (piece: Piece) => T,
  ): T[] => {
    const [rows, width] = matrix(input.hidden, "headLogProbs: hidden");
    const [vocabulary] = matrix(input.weight, "headLogProbs: weight");
    expectFloats(input.weight, [vocabulary, width], "headLogProbs: weight");
    expectFloats(input.beta, [rows], "headLogProbs: inverseTemperature");
    device.expectIndices(input.targets, rows, vocabulary, "headLogProbs: targets");
    const [hidden, weight, beta] = [input.hidden, input.weight, input.beta].map((x) => device.handle(x)) as [
      Handle,
      Handle,
      Handle,
    ];
    const targets = device.indices(input.targets);
    const most = Math.max(1, Math.floor(maxLogits[torch.device] / vocabulary));
    const results: T[] = [];
    for (let start = 0; start < rows; start += most) {
      const count = Math.min(most, rows - start);
      const part = torch.view(hidden, [count, width], [width, 1], start * width);
      const inverseTemperature = torch.view(beta, [count, 1], [1, 1], start);
      const product = wideProduct(device, part, torch.view(weight, [width, vocabulary], [1, width]));
      const logits = torch.call(multiply, product, inverseTemperature);
      const wanted = torch.view(targets, [count, 1], [1, 1], start);
      results.push(body({ start, count, hidden: part, targets: wanted, inverseTemperature, logits }));
    }
    return results;
  };

  return {
    headLogProbs(hidden, weight, targets, inverseTemperature) {
      const rows = hidden.shape[0] as number;
      const vocabulary = weight.shape[0] as number;
      const columns = torch.run(() => {
        const parts = pieces({ hidden, weight, targets, beta: inverseTemperature }, ({ logits, targets: wanted }) =>
          torch.run(() => {
            const sums = torch.call(logSumExpOf, logits, { ints: [1] }, { bool: true });
            const chosen = torch.call(gather, logits, { int: 1 }, wanted, { bool: false });
            const normalised = torch.subtract(logits, sums);
            const products = torch.call(multiply, torch.call(exp, normalised), normalised);
            const entropy = torch.call(mm, products, torch.full([vocabulary, 1], scalarType.float32, -1));
            return [torch.subtract(chosen, sums), entropy, sums];
          }),
        );
        return [0, 1, 2].map((i) =>
          parts.length === 0
            ? torch.empty([0], scalarType.float32)
            : torch.view(torch.call(cat, { tensors: parts.map((part) => part[i] as Handle) }, { int: 0 }), [rows]),
        );
      });
      const [logProbs, entropy, logSumExp] = columns.map((column): Tensor =>
        store.adoptFloats(column, [rows], "full"),
      ) as [Tensor, Tensor, Tensor];
      return { logProbs, entropy, logSumExp };
    },
    headLogProbsBackward(dLogProbs, { hidden, weight, targets, inverseTemperature, logSumExp }, needs) {
      const [rows, width] = matrix(hidden, "headLogProbsBackward: hidden");
      expectFloats(logSumExp, [rows], "headLogProbsBackward: logSumExp");
      expectFloats(dLogProbs, [rows], "headLogProbsBackward: dLogProbs");
      const [d, sums, w] = [dLogProbs, logSumExp, weight].map((x) => device.handle(x)) as [Handle, Handle, Handle];
      let dWeight: Handle | null = null;
      const [dHidden, dW] = torch.run(() => {
        const parts = pieces({ hidden, weight, targets, beta: inverseTemperature }, (piece) => {
          const { start, count, logits } = piece;
          const column = (x: Handle): Handle => torch.view(x, [count, 1], [1, 1], start);
          const shares = torch.call(exp, torch.subtract(logits, column(sums)));
          const factor = torch.call(multiply, column(d), piece.inverseTemperature);
          const dLogits = torch.call(multiply, shares, torch.multiplyByNumber(factor, -1));
          torch.call(scatterAdd, dLogits, { int: 1 }, piece.targets, factor);
          const rounded = device.rounded(dLogits);
          if (needs.weight) {
            const vocabulary = weight.shape[0] as number;
            const more = wideProduct(device, torch.view(rounded, [vocabulary, count], [1, vocabulary]), piece.hidden);
            dWeight = dWeight === null ? more : torch.add(dWeight, more);
          }
          return torch.call(mm, rounded, w);
        });
        const all =
          parts.length === 0
            ? torch.empty([0, width], device.working)
            : torch.call(cat, { tensors: parts }, { int: 0 });
        return needs.weight ? [all, dWeight ?? torch.full(weight.shape, scalarType.float32, 0)] : [all];
      });
      return {
        dHidden: store.adoptFloats(dHidden, hidden.shape),
        ...(dW !== undefined && { dWeight: store.adoptFloats(dW, weight.shape, "full") }),
      };
    },
  };
}
