import type { LanguageModel } from "@laconic/core";

/** A sampler whose log-probs are `factor` times what they are, as those of other kernels are a little off. */
export function misreported(model: LanguageModel, factor: number): LanguageModel {
  return {
    ...model,
    complete: async (request) => {
      const { trace, ...completion } = await model.complete(request);
      return {
        ...completion,
        ...(trace && { trace: { ...trace, logProbs: trace.logProbs.map((each) => each * factor) } }),
      };
    },
  };
}
