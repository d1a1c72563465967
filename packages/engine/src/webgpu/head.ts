import { headSize, type Kernels } from "../kernels/index.ts";
import type { GpuArray } from "./gpu-array.ts";
import type { GpuDevice } from "./gpu-device.ts";
import { product, productInto } from "./products.ts";
import { selectLogProbsGradient, selectLogProbsProgram } from "./wgsl/log-probs.ts";

/** Numbers of the logits that are there at a time: storage bindings of 128 MiB are what every adapter allows. */
const maxElements = 1 << 24;

/** Log-probs of targets, so many rows at a time that their logits stay within {@link maxElements}. */
export function headKernels(device: GpuDevice): Pick<Kernels, "headLogProbs" | "headLogProbsBackward"> {
  const { runner } = device;
  /** Calls with the logits of some rows after the other, from row `first` on; nothing keeps them. */
  const inPieces = (
    { hidden, weight }: Readonly<Record<"hidden" | "weight", GpuArray>>,
    vocabulary: number,
    body: (logits: GpuArray, first: number) => void,
  ): void => {
    const [rows, width] = hidden.shape as [number, number];
    const atOnce = Math.max(1, Math.floor(maxElements / vocabulary));
    for (let first = 0; first < rows; first += atOnce) {
      const logits = product(device, {
        rows: Math.min(atOnce, rows - first),
        columns: vocabulary,
        inner: width,
        left: { data: hidden, along: true, start: first * width },
        right: { data: weight, along: true },
      });
      body(logits, first);
      logits.dispose();
    }
  };
  return {
    headLogProbs(hidden, weight, targets, inverseTemperature) {
      const [rows, , vocabulary] = headSize(hidden, weight);
      device.expectIndices(targets, vocabulary, "headLogProbs: targets");
      const [logProbs, entropy, logSumExp] = [device.blank([rows]), device.blank([rows]), device.blank([rows])];
      const row = { targets: device.data(targets), scale: device.data(inverseTemperature) };
      const written = {
        logProbs: device.data(logProbs),
        entropy: device.data(entropy),
        logSumExp: device.data(logSumExp),
      };
      inPieces({ hidden: device.data(hidden), weight: device.data(weight) }, vocabulary, (logits, first) =>
        runner.runChanging(selectLogProbsProgram(logits, { ...row, first }), written),
      );
      return { logProbs, entropy, logSumExp };
    },
    headLogProbsBackward(dLogProbs, forward, needs, into = {}) {
      const { inverseTemperature, logSumExp } = forward;
      const [rows, width, vocabulary] = headSize(forward.hidden, forward.weight);
      device.expectIndices(forward.targets, vocabulary, "headLogProbsBackward: targets");
      const [hidden, weight] = [device.data(forward.hidden), device.data(forward.weight)];
      const row = {
        targets: device.data(forward.targets),
        scale: device.data(inverseTemperature),
        logSumExp: device.data(logSumExp),
        dLogProb: device.data(dLogProbs),
      };
      const dHidden = device.blank([rows, width]);
      const backward = (ofWeight: GpuArray | null, addsToWeight: boolean): void =>
        inPieces({ hidden, weight }, vocabulary, (logits, first) => {
          const [count] = logits.shape as [number];
          runner.runInPlace(selectLogProbsGradient([count, vocabulary], { ...row, first }), logits);
          const start = first * width;
          const dLogits = { data: logits, along: true };
          const right = { data: weight, along: false };
          const part = { rows: count, columns: width, inner: vocabulary, left: dLogits, right, start };
          productInto(device, part, device.data(dHidden));
          if (!ofWeight) return;
          const whole = {
            rows: vocabulary,
            columns: width,
            inner: count,
            left: { data: logits, along: false },
            right: { data: hidden, along: false, start },
            adds: addsToWeight || first > 0,
          };
          productInto(device, whole, ofWeight);
        });
      if (!needs.weight) backward(null, false);
      const dWeight = needs.weight ? device.settle(into.dWeight, [vocabulary, width], rows, backward) : null;
      return dWeight ? { dHidden, dWeight } : { dHidden };
    },
  };
}
