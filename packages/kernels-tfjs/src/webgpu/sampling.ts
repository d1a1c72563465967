import { expectSampling, expectTokenLogProbs, matrix, type Kernels, type SamplingRows } from "@laconic/kernels";
import { tensor } from "@tensorflow/tfjs-core";
import type { GpuDevice } from "./gpu-device.ts";
import { runForAll } from "./wgsl/run-program.ts";
import { sampleTokensProgram, tokenLogProbsProgram } from "./wgsl/sample-tokens.ts";

/** One token per row, and log-probs of given ones, in one dispatch each. */
export function samplingKernels(device: GpuDevice): Pick<Kernels, "sampleTokens" | "tokenLogProbs"> {
  const { store } = device.ops;
  return {
    sampleTokens(logits, settings) {
      const [rows, vocabulary] = expectSampling(logits, settings);
      if (rows === 0) return { tokens: store.adoptInts(tensor([], [0], "int32"), [0, 0]), logProbs: device.blank([0]) };
      const table = tensor(settingsTable(settings), [rows, 5]);
      const made = runForAll(device.runner, sampleTokensProgram(device.data(logits), table), {
        tokens: { shape: [rows], dtype: "int32" },
        logProbs: { shape: [rows] },
      });
      table.dispose();
      return {
        tokens: store.adoptInts(made.tokens, [0, vocabulary - 1]),
        logProbs: store.adoptFloats(made.logProbs),
      };
    },
    tokenLogProbs(logits, tokens, count) {
      expectTokenLogProbs(logits, tokens, count);
      const [rows, vocabulary] = matrix(logits, "tokenLogProbs: logits");
      // No buffer that a program sees may be empty.
      const width = Math.max(1, count);
      const made =
        rows === 0
          ? null
          : runForAll(device.runner, tokenLogProbsProgram(device.data(logits), device.data(tokens), count), {
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
      const none = store.adoptInts(tensor([], [rows, count], "int32"), [0, 0]);
      return { logProbs, topTokens: none, topLogProbs: device.blank([rows, count]) };
    },
  };
}

/** [B, 5]: temperature, top-k, top-p, min-p, uniform number. */
function settingsTable({ temperature, topK, topP, minP, uniform }: SamplingRows): Float32Array {
  const table = new Float32Array(5 * temperature.length);
  temperature.forEach((each, row) =>
    table.set([each, topK[row] as number, topP[row] as number, minP[row] as number, uniform[row] as number], 5 * row),
  );
  return table;
}
