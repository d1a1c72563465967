import { LaconicError, type PolicySnapshot } from "@laconic/core";
import type { TrainConfig } from "../config.ts";
import type { Samplers } from "../parts.ts";
import type { Rollout } from "./rollout.ts";
import type { TreeCredits } from "./tree-rollout.ts";

/** A step's episodes, and the weights that spoke in them. */
export interface SampledStep {
  readonly rollouts: readonly Rollout[];
  readonly credits: TreeCredits | undefined;
  /** Steps that the weights were behind when the step was trained. */
  readonly lag: number;
}

/** Starts and hands out the rollouts of steps in order. */
export interface RolloutPipeline {
  /** Weights of now are those of `step` optimised steps. Starts what may start under them, waits for the step's own. */
  take(step: number): Promise<SampledStep>;
  /** Waits for what is in flight and lets go of its weights. */
  close(): Promise<void>;
}

/**
 * Rollouts up to `maxLag` steps ahead of the optimiser, each under the weights of the moment it was started in: sampling and
 * optimising overlap, and no episode is older than the bound. A lag of 0 samples each step before it is trained.
 *
 * @param snapshots - of all policies, as they are now
 * @param sample - a step's rollouts under given weights
 */
export function rolloutPipeline(
  { steps }: Pick<TrainConfig, "steps">,
  maxLag: number,
  snapshots: () => Promise<Readonly<Record<string, PolicySnapshot>>>,
  sample: (step: number, samplers: Samplers) => Promise<Omit<SampledStep, "lag">>,
): RolloutPipeline {
  const flying = new Map<number, { readonly version: number; readonly result: Promise<Omit<SampledStep, "lag">> }>();
  let next: number | null = null;
  const start = async (step: number, version: number): Promise<void> => {
    const weights = await snapshots();
    const result = sampleAndLetGo(step, weights);
    result.catch(() => undefined); // told when its step comes
    flying.set(step, { version, result });
  };
  const sampleAndLetGo = async (
    step: number,
    weights: Readonly<Record<string, PolicySnapshot>>,
  ): Promise<Omit<SampledStep, "lag">> => {
    try {
      return await sample(step, weights);
    } finally {
      for (const snapshot of Object.values(weights)) await snapshot.dispose();
    }
  };
  return {
    async take(step) {
      next ??= step;
      for (; next <= Math.min(step + maxLag, steps - 1); next++) await start(next, step);
      const own = flying.get(step);
      if (!own) throw new LaconicError("input_invalid", `step ${step} was taken before, or out of order`, { step });
      flying.delete(step);
      return { ...(await own.result), lag: step - own.version };
    },
    async close() {
      await Promise.allSettled([...flying.values()].map(({ result }) => result));
      flying.clear();
    },
  };
}

/**
 * Weights of sequences whose policy is older than the one that is trained: the geometric mean of π_old / π_sampled over a
 * sequence's tokens, cut at `cap` (truncated importance sampling, Yao et al. 2025, at GSPO's unit).
 * @param cap - 1 or more
 */
export function importanceWeights(
  oldLogProbs: { readonly values: Float64Array; readonly offsets: Int32Array },
  sampledLogProbs: { readonly values: Float64Array },
  cap: number,
): Float64Array {
  const { offsets, values } = oldLogProbs;
  return Float64Array.from({ length: offsets.length - 1 }, (_, s) => {
    const [start, end] = [offsets[s] as number, offsets[s + 1] as number];
    let sum = 0;
    for (let t = start; t < end; t++) sum += (values[t] as number) - (sampledLogProbs.values[t] as number);
    return end === start ? 1 : Math.min(cap, Math.exp(sum / (end - start)));
  });
}
