import { kernelSampling } from "@laconic/core/backends";
import {
  matrixSize,
  isOnDevice,
  packSampling,
  type KernelFamily,
  type SamplingOnDevice,
  type SamplingRows,
} from "../kernels/index.ts";
import type { GpuArray } from "./gpu-array.ts";
import type { GpuDevice } from "./gpu-device.ts";
import { sampleTokensProgram, tokenLogProbsProgram } from "./wgsl/sample-tokens.ts";

export function samplingKernels(device: GpuDevice): KernelFamily<"sampling"> {
  const { runner, store } = device;
  return {
    sampleTokens(logits, settings) {
      const [rows, vocabulary] = matrixSize(logits);
      if (rows === 0)
        return { tokens: store.adoptInts(runner.blank([0], "int32"), [0, 0]), logProbs: device.blank([0]) };
      const { table, uniforms, column, made: uploaded } = inputsOf(device, settings, rows);
      const made = runner.runForAll(sampleTokensProgram(device.data(logits), table, uniforms, column), {
        tokens: { shape: [rows], dtype: "int32" },
        logProbs: { shape: [rows] },
      });
      for (const gpuArray of uploaded) gpuArray.dispose();
      return {
        tokens: store.adoptInts(made.tokens, [0, vocabulary - 1]),
        logProbs: store.adoptFloats(made.logProbs),
      };
    },
    tokenLogProbs(logits, tokens, count) {
      const [rows, vocabulary] = matrixSize(logits);
      // Buffers of programs cannot be empty.
      const width = Math.max(1, count);
      const made =
        rows === 0
          ? null
          : runner.runForAll(tokenLogProbsProgram(device.data(logits), device.data(tokens), count), {
              logProbs: { shape: [rows] },
              topTokens: { shape: [rows, width], dtype: "int32" },
              topLogProbs: { shape: [rows, width] },
            });
      const logProbs = made ? store.adoptFloats(made.logProbs) : device.blank([0]);
      if (made && count > 0)
        return {
          logProbs,
          topTokens: store.adoptInts(made.topTokens, [0, vocabulary - 1]),
          topLogProbs: store.adoptFloats(made.topLogProbs),
        };
      made?.topTokens.dispose();
      made?.topLogProbs.dispose();
      const none = store.adoptInts(runner.blank([rows, count], "int32"), [0, 0]);
      return { logProbs, topTokens: none, topLogProbs: device.blank([rows, count]) };
    },
  };
}

interface Inputs {
  /** [B, columns of `kernelSampling`] */
  readonly table: GpuArray;
  readonly uniforms: GpuArray;
  readonly column: number;
  /** Disposed of after the draw. */
  readonly made: readonly GpuArray[];
}

function inputsOf(device: GpuDevice, sampling: SamplingRows | SamplingOnDevice, rows: number): Inputs {
  if (isOnDevice(sampling)) {
    const { settings, uniforms, column } = sampling;
    return { table: device.data(settings), uniforms: device.data(uniforms), column, made: [] };
  }
  const { runner } = device;
  const table = runner.upload(packSampling(sampling).settings, [rows, kernelSampling.length]);
  const uniforms = runner.upload(sampling.uniform, [rows, 1]);
  return { table, uniforms, column: 0, made: [table, uniforms] };
}
