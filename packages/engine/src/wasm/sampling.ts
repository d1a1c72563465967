import { kernelSampling, samplingParameters } from "@laconic/core/backends";
import { exponential, logarithm } from "@laconic/core/numeric";
import { matrixSize, isOnDevice, packSampling } from "../kernels/index.ts";
import type { KernelFamily, SamplingOnDevice, SamplingRows } from "../kernels/index.ts";
import type { WasmDevice } from "./wasm-device.ts";

export function samplingKernels(device: WasmDevice): KernelFamily<"sampling"> {
  const { store } = device;
  /** Columns per parameter; reads are free in this memory. */
  const columnsOf = (sampling: SamplingRows | SamplingOnDevice, rows: number): (Float32Array | Int32Array)[] => {
    const settings = isOnDevice(sampling) ? store.floats(sampling.settings) : packSampling(sampling).settings;
    return kernelSampling.map((name, column) => {
      const values = Float32Array.from({ length: rows }, (_, b) => settings[kernelSampling.length * b + column]!);
      return samplingParameters[name].shape.integer ? Int32Array.from(values) : values;
    });
  };
  const uniformOf = (sampling: SamplingRows | SamplingOnDevice, rows: number): Float32Array => {
    if (!isOnDevice(sampling)) return sampling.uniform;
    const [, width] = matrixSize(sampling.uniforms);
    const uniforms = store.floats(sampling.uniforms);
    return Float32Array.from({ length: rows }, (_, b) => uniforms[b * width + sampling.column]!);
  };
  return {
    sampleTokens(logits, settings) {
      const [rows, vocabulary] = matrixSize(logits);
      const columns = [...columnsOf(settings, rows), uniformOf(settings, rows)];
      const [tokens, logProbs] = [store.allocate([rows], "int32"), store.allocate([rows])];
      store.scope(() => {
        const uploaded = columns.map((values) => store.upload(values, [rows]));
        const steps: Record<number, number> = { 0: 4 * vocabulary };
        for (let index = 3; index < uploaded.length + 5; index++) steps[index] = 4;
        device.withThreadScratch(2 * vocabulary, (scratch, bytes) => {
          const split = { countAt: 1, steps, cost: 4 * vocabulary, scratch: { argument: uploaded.length + 5, bytes } };
          device.divide(split, "sampleTokens", logits, rows, vocabulary, ...uploaded, tokens, logProbs, scratch);
        });
      });
      return { tokens, logProbs };
    },
    tokenLogProbs(logits, tokens, count) {
      const [rows, vocabulary] = matrixSize(logits);
      const scores = store.floats(logits);
      const chosen = store.ints(tokens);
      const [logProbs, topTokens, topLogProbs] = [
        new Float32Array(rows),
        new Int32Array(rows * count),
        new Float32Array(rows * count),
      ];
      for (let row = 0; row < rows; row++) {
        const of = scores.subarray(row * vocabulary, (row + 1) * vocabulary);
        const normaliser = logSumExp(of);
        logProbs[row] = of[chosen[row]!]! - normaliser;
        likeliest(of, count).forEach((token, i) => {
          topTokens[row * count + i] = token;
          topLogProbs[row * count + i] = of[token]! - normaliser;
        });
      }
      return {
        logProbs: store.upload(logProbs, [rows]),
        topTokens: store.upload(topTokens, [rows, count]),
        topLogProbs: store.upload(topLogProbs, [rows, count]),
      };
    },
  };
}

function logSumExp(scores: Float32Array): number {
  let largest = -Infinity;
  for (const score of scores) largest = Math.max(largest, score);
  let sum = 0;
  for (const score of scores) sum += exponential(score - largest);
  return largest + logarithm(sum);
}

/** Largest scores in descending order, first of ties first. */
function likeliest(scores: Float32Array, count: number): number[] {
  const best: number[] = [];
  scores.forEach((score, token) => {
    if (best.length === count && !(score > scores[best[count - 1]!]!)) return;
    let index = best.length;
    while (index > 0 && score > scores[best[index - 1]!]!) index -= 1;
    best.splice(index, 0, token);
    if (best.length > count) best.pop();
  });
  return best;
}
