/**
 * Error of a gradient along a direction, relative to its norm, by a five-point central difference.
 * @param lossAt - loss where the values are moved
 */
export async function errorAlong(
  gradient: Float64Array,
  origin: Float64Array,
  towards: Float64Array,
  lossAt: (moved: Float64Array) => Promise<number>,
): Promise<number> {
  const h = 1e-3;
  const at = (step: number): Promise<number> => lossAt(origin.map((value, i) => value + step * (towards[i] as number)));
  const [near, far] = [(await at(h)) - (await at(-h)), (await at(2 * h)) - (await at(-2 * h))];
  const analytic = gradient.reduce((sum, g, i) => sum + g * (towards[i] as number), 0);
  return Math.abs((8 * near - far) / (12 * h) - analytic) / Math.hypot(...gradient);
}
