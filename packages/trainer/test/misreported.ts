import type { LanguageModel } from "@laconic/core";

/** Sampler whose log-probs are off by `factor`, as with different kernels. */
export function misreported(model: LanguageModel, factor: number): LanguageModel {
  return {
    ...model,
    complete: async (request) => {
      const { trace, ...completion } = await model.complete(request);
      return {
        ...completion,
        ...(trace && { trace: { ...trace, logProbs: trace.logProbs.map((logProb) => logProb * factor) } }),
      };
    },
  };
}
