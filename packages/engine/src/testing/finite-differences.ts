import { randomFromSeed } from "@laconic/core";

/** Names of the tensors whose gradient differs from finite differences along a random direction or at one entry. */
export async function wrongGradients(
  gradients: ReadonlyMap<string, Float64Array>,
  values: ReadonlyMap<string, Float64Array>,
  lossOf: (values: Map<string, Float64Array>) => Promise<number>,
): Promise<string[]> {
  const wrong: string[] = [];
  for (const [name, gradient] of gradients) {
    const random = randomFromSeed(name);
    // One direction moves every entry of the tensor at once; one step moves a single entry.
    const direction = gradient.map(() => random.normal() / Math.sqrt(gradient.length));
    const single = gradient.map(() => 0);
    single[random.integer(single.length)] = 1;
    for (const towards of [direction, single]) {
      const error = await errorAlong(gradient, values.get(name) as Float64Array, towards, (moved) =>
        lossOf(new Map(values).set(name, moved)),
      );
      if (!(error < 1e-6)) wrong.push(`${name}: ${error}`);
    }
  }
  return wrong;
}

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
