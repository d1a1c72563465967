import type { Point } from "./expression.ts";

/**
 * Values for all names, the same on every run: a name's value follows from its spelling and the number of the point.
 * @param scale - of every value; negative points tell x from the root of its square, large ones from a maximum
 */
export function samplePoint(number: number, scale = 1): Point {
  const values = new Map<string, number>();
  return (name) => {
    let value = values.get(name);
    if (value === undefined) {
      // Names differ in size at large scales, so that each of them can be the largest.
      const size = Math.abs(scale) > 1 ? 10 ** (4 * share(`size:${number}:${name}`) - 2) : 1;
      value = scale * size * (0.4 + 1.7 * share(`${number}:${name}`));
      values.set(name, value);
    }
    return value;
  };
}

/** Whole numbers of 31 bits, odd and even ones. */
export function wholePoint(number: number): Point {
  return (name) => Math.floor(2 ** 31 * share(`${number}:${name}`));
}

/** [0, 1) of a text: FNV-1a, mixed once more because names are short. */
function share(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
