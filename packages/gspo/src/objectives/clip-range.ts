import { checkOption } from "../check-option.ts";

/** Trust region of a ratio: [1 - low, 1 + high]. */
export interface ClipRange {
  readonly low: number;
  readonly high: number;
}

export function checkClip(name: string, { low, high }: ClipRange): void {
  checkOption(low > 0 && low <= 1, `${name}: clip.low`, low, "above 0 and at most 1");
  checkOption(high > 0 && high < Infinity, `${name}: clip.high`, high, "above 0");
}

/** Side of an active clip: the ratio left the range in the advantage's direction. */
export function clippedSide(ratio: number, advantage: number, { low, high }: ClipRange): -1 | 0 | 1 {
  if (advantage > 0 && ratio > 1 + high) return 1;
  if (advantage < 0 && ratio < 1 - low) return -1;
  return 0;
}

export function clippedRatio(ratio: number, side: -1 | 0 | 1, { low, high }: ClipRange): number {
  if (side === 0) return ratio;
  return side > 0 ? 1 + high : 1 - low;
}
