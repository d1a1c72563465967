import { formatDuration, formatNumber, formatPercent } from "@laconic/core/text";

export interface Progress {
  readonly step: number;
  readonly steps: number;
  /** Fraction of correct episodes. */
  readonly accuracy: number;
  /** Mean tokens per episode. */
  readonly tokens: number;
  readonly tokenPrice: number;
  /** Null if unknown. */
  readonly secondsLeft: number | null;
  readonly note?: string;
}

/** `step  42/160  ██        accuracy 94.5 %  tokens 31.2  λ 0.0041  1 m 05 s left` */
export function statusLine(progress: Progress): string {
  const step = String(progress.step).padStart(String(progress.steps).length);
  return [
    `step ${step}/${progress.steps}`,
    bar(progress.step / progress.steps),
    `accuracy ${formatPercent(progress.accuracy)}`,
    `tokens ${formatNumber(progress.tokens)}`,
    `λ ${formatNumber(progress.tokenPrice)}`,
    ...(progress.secondsLeft === null ? [] : [`${formatDuration(progress.secondsLeft)} left`]),
    ...(progress.note === undefined ? [] : [progress.note]),
  ].join("  ");
}

const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** Fits a line of 80 columns. */
function bar(fraction: number, width = 8): string {
  const cells = Math.max(0, Math.min(1, fraction)) * width;
  const full = Math.floor(cells);
  return ("█".repeat(full) + (eighths[Math.floor((cells - full) * 8)] ?? "")).padEnd(width);
}
