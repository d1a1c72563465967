import { exactValue } from "./exact-value.ts";
import { wholePoint } from "./sample-point.ts";
import { isCall, namesOf, partsOf, type Expression, type Point } from "./expression.ts";

const heads: ReadonlySet<unknown> = new Set("Floor Factorial Factorial2 Binomial GCD LCM Mod".split(" "));

/**
 * Whether names stand for whole numbers: in a floor, a factorial, a binomial coefficient, a divisor, a modulus, or in
 * the exponent of a negative number.
 */
export function isDiscrete(expression: Expression): boolean {
  return partsOf(expression).some((part) => {
    if (!isCall(part)) return false;
    const [head, base, exponent] = part;
    if (heads.has(head)) return namesOf(part).length > 0;
    if (head !== "Power" || namesOf(exponent as Expression).length === 0) return false;
    return (exactValue(base as Expression)?.s ?? 1n) < 0n;
  });
}

/** Whether a floor or a ceiling is in it. */
export function isStepwise(expression: Expression): boolean {
  return partsOf(expression).some((part) => isCall(part) && part[0] === "Floor");
}

const withNeighbours = (places: readonly number[]): number[] => places.flatMap((n) => [n - 1, n, n + 1]);
const others = [120, 121, 9999, 10_000, 99_999, 100_000, 28, 30, 36, 42, 48, 60, 72, 84, 210, 360, 997, 2310];
/** Small numbers, powers and squares with their neighbours: where steps are. */
const places: readonly number[] = [
  ...Array.from({ length: 26 }, (_, i) => i + 1),
  ...withNeighbours([32, 64, 128, 256, 512, 1024, 65_536, 81, 100, 243, 625, 1000]),
  ...others,
];
const belowZero: readonly number[] = [-1, -2, -3, -5, -8, -30];

/**
 * Whole values for names: for a single one at all places, for several in many combinations, mostly small.
 * @param negative - also some below zero
 */
export function wholePoints(names: readonly string[], negative: boolean): Point[] {
  const all = negative ? [...places, ...belowZero] : places;
  const [only] = names;
  if (names.length < 2) return all.map((place) => (name: string) => (name === only ? place : null));
  return Array.from({ length: 90 }, (_, i) => (name: string) => {
    const drawn = wholePoint(i)(name) as number;
    return drawn % 4 === 0 ? (all[drawn % all.length] as number) : 1 + (drawn % 12);
  });
}

/** Letters that stand for whole numbers by custom; others of a floor may be any numbers. */
export function isWholeName(name: string): boolean {
  return /^[jklmnpqKLMN](?:_\w{1,4})?$/u.test(name);
}
