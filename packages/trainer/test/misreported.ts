import type { LanguageModel } from "@laconic/core";

/** Sampler whose log-probs are off by a factor per reply, as with different kernels. */
export function misreported(model: LanguageModel, factorOf: () => number): LanguageModel {
  return {
    ...model,
    complete: async (request) => {
      const { trace, ...completion } = await model.complete(request);
      const factor = factorOf();
      return {
        ...completion,
        ...(trace && { trace: { ...trace, logProbs: trace.logProbs.map((logProb) => logProb * factor) } }),
      };
    },
  };
}
