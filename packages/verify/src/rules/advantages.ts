import { applicable, meanOf, total } from "./numbers.ts";
import type { AdvantageSettings } from "./settings.ts";

/**
 * Agent-GSPO's Eq. 2 and GRPO, of the rewards of one group: (r - mean) / (deviation + epsilon); MAGRPO does not divide. A group of
 * one sample or of equal rewards teaches nothing.
 * @param rewards - NaN where the reward does not apply
 */
export function advantagesOf(settings: AdvantageSettings, rewards: readonly number[]): number[] {
  const { scale = "group", std = "sample", epsilon = 1e-6 } = settings;
  const values = applicable(rewards);
  const mean = meanOf(values);
  const squares = total(values.map((r) => (r - mean) ** 2));
  const deviation = Math.sqrt(squares / Math.max(1, values.length - (std === "sample" ? 1 : 0)));
  const isFlat = values.length < 2 || Math.max(...values) - Math.min(...values) <= 1e-12;
  const divisor = scale === "none" ? 1 : deviation + epsilon;
  return rewards.map((r) => (isFlat || Number.isNaN(r) ? 0 : (r - mean) / divisor));
}
