import { LaconicError } from "@laconic/core";

/** The trust region of a ratio: [1 - low, 1 + high]. */
export interface ClipRange {
  readonly low: number;
  readonly high: number;
}

/** @throws LaconicError `config_invalid` naming the bound. */
export function checkClip(name: string, { low, high }: ClipRange): void {
  if (!(low > 0 && low <= 1))
    throw new LaconicError("config_invalid", `${name}: clip.low is ${low}, expected above 0 and at most 1`);
  if (!(high > 0 && Number.isFinite(high)))
    throw new LaconicError("config_invalid", `${name}: clip.high is ${high}, expected above 0`);
}

/** An active clip takes the gradient away: the ratio has left the range on the side the advantage pushes to. */
export function clippedSide(ratio: number, advantage: number, { low, high }: ClipRange): -1 | 0 | 1 {
  if (advantage > 0 && ratio > 1 + high) return 1;
  if (advantage < 0 && ratio < 1 - low) return -1;
  return 0;
}
