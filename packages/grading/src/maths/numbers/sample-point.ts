import { exactValue } from "./exact-value.ts";
import { type Point, isCall, namesOf, partsOf, type Expression } from "./expression.ts";

/**
 * Deterministic values of names.
 * @param scale - of values; negative points distinguish x from the root of its square, large ones from a maximum
 */
export function samplePoint(number: number, scale = 1): Point {
  const values = new Map<string, number>();
  return (name) => {
    let value = values.get(name);
    if (value === undefined) {
      // Each name can be the largest.
      const size = Math.abs(scale) > 1 ? 10 ** (4 * share(`size:${number}:${name}`) - 2) : 1;
      value = scale * size * (0.4 + 1.7 * share(`${number}:${name}`));
      values.set(name, value);
    }
    return value;
  };
}

export function wholePoint(number: number): Point {
  return (name) => Math.floor(2 ** 31 * share(`${number}:${name}`));
}

/** FNV-1a in [0, 1) with extra mixing for short names. */
function share(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

const heads: ReadonlySet<unknown> = new Set("Floor Factorial Factorial2 Binomial GCD LCM Mod".split(" "));

/** Names in floors, factorials, binomials, divisors, moduli, exponents of negative numbers. */
export function isDiscrete(expression: Expression): boolean {
  return partsOf(expression).some((part) => {
    if (!isCall(part)) return false;
    const [head, base, exponent] = part;
    if (heads.has(head)) return namesOf(part).length > 0;
    if (head !== "Power" || namesOf(exponent!).length === 0) return false;
    return (exactValue(base!)?.s ?? 1n) < 0n;
  });
}

export function isStepwise(expression: Expression): boolean {
  return partsOf(expression).some((part) => isCall(part) && part[0] === "Floor");
}

const others = [120, 121, 9999, 10_000, 99_999, 100_000, 28, 30, 36, 42, 48, 60, 72, 84, 210, 360, 997, 2310];
const places: readonly number[] = [
  ...Array.from({ length: 26 }, (_, i) => i + 1),
  ...[32, 64, 128, 256, 512, 1024, 65_536, 81, 100, 243, 625, 1000].flatMap((n) => [n - 1, n, n + 1]),
  ...others,
];
const belowZero: readonly number[] = [-1, -2, -3, -5, -8, -30];

/**
 * Integers for one name, or mostly small combinations.
 * @param negative - includes some negative ones
 */
export function wholePoints(names: readonly string[], negative: boolean): Point[] {
  const all = negative ? [...places, ...belowZero] : places;
  const [only] = names;
  if (names.length < 2) return all.map((index) => (name: string) => (name === only ? index : null));
  return Array.from({ length: 90 }, (_, i) => (name: string) => {
    const drawn = wholePoint(i)(name)!;
    return drawn % 4 === 0 ? all[drawn % all.length]! : 1 + (drawn % 12);
  });
}

/** Other letters in a floor may be real. */
export function isWholeName(name: string): boolean {
  return /^[jklmnpqKLMN](?:_\w{1,4})?$/u.test(name);
}
