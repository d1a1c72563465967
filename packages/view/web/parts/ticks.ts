/** Round values within a range, at most `max` of them: steps of 1, 2 or 5 times a power of ten. */
export function ticksOf(low: number, high: number, max: number): readonly number[] {
  if (!(high > low) || max < 1) return [low];
  const raw = (high - low) / max;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5].find((factor) => factor * power >= raw * (1 - 1e-9)) ?? 10) * power;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  // Multiples, not sums: 0.1 + 0.2 is no tick.
  const digits = Math.max(0, -Math.floor(Math.log10(step)));
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toFixed(Math.min(20, digits))));
}
