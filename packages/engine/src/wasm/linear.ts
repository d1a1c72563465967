import { matrixSize, sizeOf, type KernelFamily, type Kernels, type Tensor, headSize } from "../kernels/index.ts";
import type { WasmDevice } from "./wasm-device.ts";

export function linearKernels(device: WasmDevice): KernelFamily<"linear"> {
  const { store, products } = device;
  const linear: Kernels["linear"] = (x, weight, bias) => {
    const [rows] = matrixSize(x);
    const [outer] = matrixSize(weight);
    const out = store.allocate([rows, outer]);
    products.forward(store.address(x), rows, weight, store.address(out));
    if (bias) device.divideRows({ countAt: 2, width: outer, rows: [0] }, "addBias", out, bias, rows, outer);
    return out;
  };
  return {
    linear,
    linearOnto(into, x, weight, bias) {
      const added = linear(x, weight, bias);
      store.makeWritable(into);
      device.divideRows({ countAt: 3, rows: [0, 1, 2] }, "add", into, added, into, sizeOf(into.shape));
      store.free(added);
    },
    headLogits: (hidden, weight) => linear(hidden, weight),
    linearBackward(dOut, x, weight, needs) {
      const [outer, inner] = matrixSize(weight);
      const [rows] = matrixSize(x);
      const gradients: { dX?: Tensor; dWeight?: Tensor; dBias?: Tensor } = {};
      if (needs.weight) {
        gradients.dWeight = store.allocate(weight.shape);
        products.transposed(store.address(dOut), store.address(x), rows, gradients.dWeight, true);
      }
      if (needs.input) {
        gradients.dX = store.allocate([rows, inner]);
        products.back(store.address(dOut), rows, weight, store.address(gradients.dX));
      }
      if (needs.bias) {
        gradients.dBias = store.zeros([outer]);
        store.withScratch(outer, (scratch) => device.run("columnSums", dOut, gradients.dBias!, rows, outer, scratch));
      }
      return gradients;
    },
  };
}

/** Max logits at a time (16 MiB). */
const maxLogits = 1 << 22;

export function headKernels(device: WasmDevice): KernelFamily<"head"> {
  const { store, products } = device;
  const inChunks = (rows: number, vocabulary: number, body: (start: number, count: number) => void): void => {
    const most = Math.max(1, Math.floor(maxLogits / vocabulary));
    for (let start = 0; start < rows; start += most) store.scope(() => body(start, Math.min(most, rows - start)));
  };
  return {
    headLogProbs(hidden, weight, targets, inverseTemperature) {
      const [rows, width, vocabulary] = headSize(hidden, weight);
      const [logProbs, entropy, logSumExp] = [0, 0, 0].map(() => store.allocate([rows])) as [Tensor, Tensor, Tensor];
      inChunks(rows, vocabulary, (start, count) => {
        const logits = store.allocate([count, vocabulary]);
        products.forward(store.address(hidden) + 4 * start * width, count, weight, store.address(logits));
        const position = [targets, inverseTemperature, logProbs, entropy, logSumExp].map(
          (x) => store.address(x) + 4 * start,
        );
        const split = { countAt: 6, width: vocabulary, rows: [0], numbers: [1, 2, 3, 4, 5] };
        device.divideRows(split, "headLogProbs", logits, ...position, count, vocabulary);
      });
      return { logProbs, entropy, logSumExp };
    },
    headLogProbsBackward(dLogProbs, { hidden, weight, targets, inverseTemperature, logSumExp }, needs) {
      const [rows, width, vocabulary] = headSize(hidden, weight);
      const dHidden = store.allocate(hidden.shape);
      const dWeight = needs.weight ? store.zeros(weight.shape) : undefined;
      inChunks(rows, vocabulary, (start, count) => {
        const part = store.address(hidden) + 4 * start * width;
        const logits = store.allocate([count, vocabulary]);
        products.forward(part, count, weight, store.address(logits));
        const position = [targets, inverseTemperature, logSumExp, dLogProbs].map((x) => store.address(x) + 4 * start);
        // Replaces the logits by their gradient.
        const split = { countAt: 5, width: vocabulary, rows: [0], numbers: [1, 2, 3, 4] };
        device.divideRows(split, "headLogProbsBackward", logits, ...position, count, vocabulary);
        const dLogits = store.address(logits);
        products.back(dLogits, count, weight, store.address(dHidden) + 4 * start * width);
        if (dWeight) products.transposed(dLogits, part, count, dWeight, false);
      });
      return { dHidden, ...(dWeight && { dWeight }) };
    },
  };
}
