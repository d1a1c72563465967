import { total } from "./numbers.ts";
import type { AdvantageSettings } from "./settings.ts";

/** A sample whose reward is compared with those of its group: an episode, or one utterance of it. */
export interface Sample {
  readonly group: string;
  /** NaN where the reward does not apply. */
  readonly reward: number;
  /** How much of a sample of its group it is. */
  readonly weight: number;
}

/**
 * Agent-GSPO's Eq. 2 and GRPO: (r - mean) / (deviation + epsilon) within a group; MAGRPO does not divide. A group of one sample or of
 * equal rewards teaches nothing.
 */
export function advantagesOf(settings: AdvantageSettings, samples: readonly Sample[]): number[] {
  const { scale = "group", std = "sample", epsilon = 1e-6 } = settings;
  const groups = new Map<string, Sample[]>();
  for (const sample of samples)
    if (!Number.isNaN(sample.reward)) groups.set(sample.group, [...(groups.get(sample.group) ?? []), sample]);
  const spreads = new Map(Array.from(groups, ([name, group]) => [name, spreadOf(group, std)]));
  return samples.map(({ group, reward }) => {
    const spread = spreads.get(group);
    if (!spread || spread.isFlat || Number.isNaN(reward)) return 0;
    return (reward - spread.mean) / (scale === "none" ? 1 : spread.deviation + epsilon);
  });
}

/** Weighted mean and root of the mean square about it, over n - 1 (`sample`) or n, which is the sum of the weights. */
function spreadOf(
  group: readonly Sample[],
  convention: string,
): { readonly mean: number; readonly deviation: number; readonly isFlat: boolean } {
  const n = total(group.map(({ weight }) => weight));
  const mean = total(group.map(({ reward, weight }) => weight * reward)) / n;
  const squares = total(group.map(({ reward, weight }) => weight * (reward - mean) ** 2));
  const rewards = group.map(({ reward }) => reward);
  const isFlat = n < 1.5 || Math.max(...rewards) - Math.min(...rewards) <= 1e-12;
  return { mean, deviation: Math.sqrt(squares / Math.max(1, n - (convention === "sample" ? 1 : 0))), isFlat };
}
