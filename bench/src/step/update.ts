import type { SequenceLogProbs, TrainableModel, TrainingSequence } from "@laconic/core";
import { groupAdvantages, gspo } from "@laconic/gspo";

const objective = gspo({ clip: { low: 0.03, high: 0.04 } });

/** Takes one step by GSPO and AdamW. The old policy is the trained one, as in TRL. */
export async function gspoUpdate(
  model: TrainableModel,
  sequences: readonly TrainingSequence[],
  advantages: readonly number[],
  learningRate: number,
): Promise<SequenceLogProbs> {
  const passed = await model.forwardBackward(
    sequences,
    (logProbs, rows) =>
      objective.evaluate({
        logProbs,
        oldLogProbs: logProbs,
        advantages: Float64Array.from(rows, (row) => advantages[row]!),
      }).gradient,
  );
  await model.optimStep({ learningRate, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 1 });
  return passed;
}

/** Rewards minus the mean of their group of successive rewards. */
export function advantagesOf(rewards: readonly number[], size: number): number[] {
  const groups = rewards.map((_, i) => Math.floor(i / size));
  return [...groupAdvantages(rewards, groups, { scale: "none" }).advantages];
}
