import { headSize, type Kernels, type Tensor } from "../kernels/index.ts";
import type { WasmDevice } from "./wasm-device.ts";

/** Logits of at most this many elements are held at once (16 MiB). */
const maxLogits = 1 << 22;

type Head = "headLogProbs" | "headLogProbsBackward";

/** The output layer and its log-softmax, in chunks of rows so that the logits never exist as a whole. */
export function headKernels(device: WasmDevice): Pick<Kernels, Head> {
  const { store, products } = device;
  const inChunks = (rows: number, vocabulary: number, body: (start: number, count: number) => void): void => {
    const most = Math.max(1, Math.floor(maxLogits / vocabulary));
    for (let start = 0; start < rows; start += most) store.scope(() => body(start, Math.min(most, rows - start)));
  };
  return {
    headLogProbs(hidden, weight, targets, inverseTemperature) {
      const [rows, width, vocabulary] = headSize(hidden, weight);
      device.expectIndices(targets, vocabulary, "headLogProbs: targets");
      const [logProbs, entropy, logSumExp] = [0, 0, 0].map(() => store.allocate([rows])) as [Tensor, Tensor, Tensor];
      inChunks(rows, vocabulary, (start, count) => {
        const logits = store.allocate([count, vocabulary]);
        products.forward(store.address(hidden) + 4 * start * width, count, weight, store.address(logits));
        const at = [targets, inverseTemperature, logProbs, entropy, logSumExp].map((x) => store.address(x) + 4 * start);
        const split = { countAt: 6, width: vocabulary, rows: [0], numbers: [1, 2, 3, 4, 5] };
        device.divideRows(split, "headLogProbs", logits, ...at, count, vocabulary);
      });
      return { logProbs, entropy, logSumExp };
    },
    headLogProbsBackward(dLogProbs, { hidden, weight, targets, inverseTemperature, logSumExp }, needs) {
      const [rows, width, vocabulary] = headSize(hidden, weight);
      device.expectIndices(targets, vocabulary, "headLogProbsBackward: targets");
      const dHidden = store.allocate(hidden.shape);
      const dWeight = needs.weight ? store.zeros(weight.shape) : undefined;
      inChunks(rows, vocabulary, (start, count) => {
        const part = store.address(hidden) + 4 * start * width;
        const logits = store.allocate([count, vocabulary]);
        products.forward(part, count, weight, store.address(logits));
        const at = [targets, inverseTemperature, logSumExp, dLogProbs].map((x) => store.address(x) + 4 * start);
        // Turns the logits into their gradient.
        const split = { countAt: 5, width: vocabulary, rows: [0], numbers: [1, 2, 3, 4] };
        device.divideRows(split, "headLogProbsBackward", logits, ...at, count, vocabulary);
        const dLogits = store.address(logits);
        products.back(dLogits, count, weight, store.address(dHidden) + 4 * start * width);
        if (dWeight) products.transposed(dLogits, part, count, dWeight, false);
      });
      return { dHidden, ...(dWeight && { dWeight }) };
    },
  };
}
