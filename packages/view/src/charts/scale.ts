import { formatNumber } from "@laconic/core/text";

/** Maps values to axis positions in CSS pixels. */
export interface Scale {
  readonly ticks: readonly number[];
  /** Positions of both ends. */
  readonly range: readonly [from: number, to: number];
  position(value: number): number;
  value(position: number): number;
}

interface ScaleOptions {
  readonly domain: readonly [low: number, high: number];
  readonly range: Scale["range"];
  readonly maxTicks: number;
  readonly isLog?: boolean;
}

/** Logarithmic domains are positive. */
export function scaleOf({ domain: [low, high], range, maxTicks, isLog = false }: ScaleOptions): Scale {
  const [from, to] = range;
  const forward = isLog ? Math.log10 : (value: number): number => value;
  const backward = isLog ? (value: number): number => 10 ** value : (value: number): number => value;
  const start = forward(low);
  const span = forward(high) - start || 1;
  return {
    range,
    ticks: isLog ? logTicks(low, high, maxTicks) : ticksOf(low, high, maxTicks),
    // Log scales map non-positive values to the low end.
    position: (value) => from + ((forward(isLog ? Math.max(low, value) : value) - start) / span) * (to - from),
    value: (position) => backward(start + ((position - from) / (to - from)) * span),
  };
}

/** Round ticks, at most `max`: multiples of 1, 2 or 5 times a power of ten. */
export function ticksOf(low: number, high: number, max: number): readonly number[] {
  if (!(high > low) || max < 1) return [low];
  const raw = (high - low) / max;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5].find((factor) => factor * power >= raw * (1 - 1e-9)) ?? 10) * power;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  // Multiples, because sums drift (0.1 + 0.2).
  const digits = Math.min(20, Math.max(0, -Math.floor(Math.log10(step))));
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toFixed(digits)));
}

/** Positive ticks at 1, 2 and 5 times powers of ten; fewer if more than `max`. */
export function logTicks(low: number, high: number, max: number): readonly number[] {
  const first = Math.floor(Math.log10(low));
  const powers = Array.from({ length: Math.ceil(Math.log10(high)) - first + 1 }, (_, i) => 10 ** (first + i));
  const ticksWith = (factors: readonly number[]): number[] =>
    powers
      .flatMap((power) => factors.map((factor) => Number((factor * power).toPrecision(3))))
      .filter((tick) => tick >= low && tick <= high);
  return [[1, 2, 5], [1, 3], [1]].map(ticksWith).find((ticks) => ticks.length <= max) ?? ticksWith([1]);
}

/** Uses equal decimals. Unit `share` is shown in per cent. */
export function tickFormat(ticks: readonly number[], unit: string): (value: number) => string {
  const [scale, suffix] = unit === "share" ? [100, " %"] : [1, ""];
  const step = scale * Math.abs((ticks[1] ?? 1) - (ticks[0] ?? 0));
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return (value) => {
    const scaled = scale * value;
    if (Math.abs(scaled) < step * 1e-6) return `0${suffix}`;
    const text = decimals > 5 ? formatNumber(scaled) : scaled.toLocaleString("en-US", digits);
    return `${text.replace("-", "−")}${suffix}`;
  };
}
