import { formatNumber } from "@laconic/core/text";

/** Round values from `low` to `high`, about `count` of them: steps of 1, 2 or 5 times a power of ten. */
export function roundTicks(low: number, high: number, count: number, minStep = 0): number[] {
  const raw = Math.max((high - low) / Math.max(1, count), minStep, Number.MIN_VALUE * 1e10);
  const power = 10 ** Math.floor(Math.log10(raw) + 1e-9);
  const over = raw / power;
  // The nearest by ratio, as D3 chooses; but never less than the least step.
  const nearest = over >= Math.sqrt(50) ? 10 : over >= Math.sqrt(10) ? 5 : over >= Math.sqrt(2) ? 2 : 1;
  const step = nearest * power;
  const first = Math.ceil(low / step - 1e-9);
  const ticks: number[] = [];
  for (let i = first; i * step <= high + step * 1e-9; i++) ticks.push(i * step);
  return ticks;
}

/** The ends of an axis that holds all values and ends on ticks. */
export function roundDomain(low: number, high: number, count: number): readonly [number, number] {
  const ticks = roundTicks(low, high, count);
  const step = (ticks[1] ?? 1) - (ticks[0] ?? 0);
  return [Math.floor(low / step + 1e-9) * step, Math.ceil(high / step - 1e-9) * step];
}

/** 1, 2 and 5 times powers of ten between two positive values; the powers alone where that is too many. */
export function logTicks(low: number, high: number, most: number): number[] {
  const powers = Array.from(
    { length: Math.ceil(Math.log10(high)) - Math.floor(Math.log10(low)) + 1 },
    (_, i) => Math.floor(Math.log10(low)) + i,
  );
  const within = (digits: readonly number[]): number[] =>
    powers.flatMap((power) => digits.map((digit) => digit * 10 ** power)).filter((tick) => tick >= low && tick <= high);
  return [[1, 2, 5], [1, 3], [1]].map(within).find((ticks) => ticks.length <= most) ?? within([1]);
}

/** How all ticks of an axis read: with the same decimals, no more than their step needs. */
export function tickFormat(ticks: readonly number[], unit: string): (value: number) => string {
  const scale = unit === "%" ? 100 : 1;
  const step = scale * Math.abs((ticks[1] ?? 1) - (ticks[0] ?? 0));
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const suffix = unit === "%" ? " %" : "";
  return (value) => {
    const scaled = scale * value;
    if (Math.abs(scaled) < step * 1e-6) return `0${suffix}`;
    const plain = decimals > 5 ? formatNumber(scaled) : scaled.toLocaleString("en-US", fixed(decimals));
    return `${plain.replace("-", "−")}${suffix}`;
  };
}

function fixed(digits: number): Intl.NumberFormatOptions {
  return { minimumFractionDigits: digits, maximumFractionDigits: digits };
}
