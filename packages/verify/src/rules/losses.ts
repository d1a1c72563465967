import { meanOf, total, applicable } from "./numbers.ts";
import type { ObjectiveSettings, AdvantageSettings } from "./settings.ts";

export interface Reply {
  readonly now: readonly number[];
  readonly old: readonly number[];
  readonly ref: readonly number[] | null;
  readonly advantages: readonly number[];
}

const bounded = (x: number): number => Math.exp(Math.max(-20, Math.min(20, x)));

const clips = { gspo: [3e-4, 4e-4], grpo: [0.2, 0.2], dapo: [0.2, 0.28], magrpo: [0, 0] } as const;

/** Loss of each token: with the reply's ratio (Eq. 3 and 4), the token's ratio (GRPO), or no ratio (MAGRPO). */
function tokenLosses(settings: ObjectiveSettings, { now, old, advantages }: Reply): number[] {
  const { name, minLength = 1, dualClip = Infinity } = settings;
  const [usualLow, usualHigh] = clips[name];
  const { low, high } = settings.clip ?? { low: usualLow, high: usualHigh };
  /** -min(w A, clip(w) A), and for A < 0 at most -dualClip A. */
  const clipped = (w: number, A: number): number => {
    const retained = A > 0 ? Math.min(w, 1 + high) : w > dualClip ? dualClip : Math.max(w, 1 - low);
    return A === 0 ? 0 : -retained * A;
  };
  const A = advantages[0] ?? 0;
  const drift = now.map((value, t) => value - (old[t] ?? Number.NaN));
  if (name === "magrpo") return now.map((logProb) => -A * logProb);
  if (name !== "gspo") return drift.map((d, t) => clipped(bounded(d), advantages[t]!));
  const loss = clipped(bounded(total(drift) / Math.max(drift.length, minLength)), A);
  return drift.map(() => loss);
}

/** k3 of Schulman 2020 for log π - log π_ref, linear below -20. */
function k3(e: number): number {
  const x = Math.max(e, -20);
  return Math.expm1(-x) + x + (e - x) * -Math.expm1(-x);
}

/** Loss of an optimizer step: mean over tokens (DAPO), over reply sums (MAGRPO), or over reply means (GSPO, GRPO). */
export function lossOf(replies: readonly Reply[], settings: ObjectiveSettings): number {
  const { name, kl } = settings;
  const spoken = replies.filter(({ now }) => now.length > 0);
  const tokens = total(spoken.map(({ now }) => now.length));
  const sums = spoken.map((reply) => {
    const penalty = kl && reply.ref ? reply.now.map((value, t) => k3(value - (reply.ref?.[t] ?? Number.NaN))) : [];
    return total(tokenLosses(settings, reply)) + (kl?.coefficient ?? 0) * total(penalty);
  });
  if (name === "dapo") return total(sums) / Math.max(1, tokens);
  if (name === "magrpo") return meanOf(sums);
  return meanOf(sums.map((sum, i) => sum / (spoken[i]?.now.length ?? 1)));
}

/**
 * Advantages by Agent-GSPO's Eq. 2 and GRPO in one group: (r - mean) / (deviation + epsilon); MAGRPO does not divide.
 * Groups of one sample or equal rewards have advantage 0.
 * @param rewards - NaN if the reward does not apply
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
