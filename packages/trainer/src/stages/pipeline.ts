import { LaconicError, type PolicySnapshot } from "@laconic/core";
import type { TrainConfig } from "../config.ts";
import type { Samplers } from "../parts.ts";
import type { RewardOutcome } from "@laconic/rewards";
import type { Rollout } from "./rollout.ts";
import type { RolloutTree } from "./tree-rollout.ts";

/** A step's episodes, and the weights that spoke in them. */
export interface SampledStep {
  readonly rollouts: readonly Rollout[];
  readonly trees?: readonly RolloutTree[] | undefined;
  /** What became of the scores of its episodes, or of its trees' joint replies. */
  readonly scores: readonly (RewardOutcome | null)[];
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
