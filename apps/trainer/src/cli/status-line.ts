import { formatDuration, formatNumber, formatPercent } from "@laconic/core/text";

/** What the status line shows of one finished step. */
export interface Progress {
  readonly step: number;
  readonly steps: number;
  /** Share of this step's episodes that were answered correctly. */
  readonly accuracy: number;
  /** Mean tokens per episode. */
  readonly tokens: number;
  readonly tokenPrice: number;
  /** Null where too little is known to tell. */
  readonly secondsLeft: number | null;
  /** Stands at the end. */
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

/** Of a width that leaves a line of 80 columns whole. */
function bar(fraction: number, width = 8): string {
  const cells = Math.max(0, Math.min(1, fraction)) * width;
  const full = Math.floor(cells);
  return ("█".repeat(full) + (eighths[Math.floor((cells - full) * 8)] ?? "")).padEnd(width);
}
