import { Fraction } from "fraction.js";
import { exactValue } from "./exact-value.ts";
import { constants } from "./float-value.ts";
import { isCall, type Json } from "./json.ts";

const heads = new Set(["Floor", "Ceil", "Round", "Factorial", "Factorial2", "Binomial", "Choose", "GCD", "LCM", "Mod"]);

/** The names in an expression that have no value of their own. */
export function namesOf(...expressions: readonly Json[]): string[] {
  const names = new Set<string>();
  const visit = (json: Json): void => {
    if (typeof json === "string") {
      if (!json.startsWith("'") && !(json in constants)) names.add(json);
    } else if (typeof json !== "number" && isCall(json)) for (const part of json.slice(1)) visit(part);
  };
  for (const each of expressions) visit(each);
  return [...names];
}

/**
 * Whether names stand for whole numbers: in a floor, a factorial, a binomial coefficient, a divisor, a modulus, or in
 * the exponent of a negative number.
 */
export function isDiscrete(json: Json): boolean {
  if (typeof json === "string" || typeof json === "number" || !isCall(json)) return false;
  const [head, ...rest] = json;
  if (typeof head === "string" && heads.has(head) && namesOf(json).length > 0) return true;
  const [base, exponent] = rest;
  if (head === "Power" && base !== undefined && exponent !== undefined && namesOf(exponent).length > 0) {
    const value = exactValue(base);
    if (value && value.s < 0n) return true;
  }
  return rest.some((part) => isDiscrete(part));
}

/** Whether a floor or a ceiling is in it. */
export function isStepwise(json: Json): boolean {
  if (typeof json === "string" || typeof json === "number" || !isCall(json)) return false;
  return json[0] === "Floor" || json[0] === "Ceil" || json.some((part) => isStepwise(part));
}

/** Small numbers, powers and squares with their neighbours: where steps are. */
const places: readonly number[] = [
  ...Array.from({ length: 26 }, (_, i) => i + 1),
  ...[5, 6, 7, 8, 9, 10, 16].flatMap((k) => [2 ** k - 1, 2 ** k, 2 ** k + 1]),
  80,
  81,
  82,
  99,
  100,
  101,
  120,
  121,
  242,
  243,
  244,
  624,
  625,
  626,
  999,
  1000,
  1001,
  9999,
  10_000,
  99_999,
  100_000,
  28,
  30,
  36,
  42,
  48,
  60,
  72,
  84,
  210,
  360,
  997,
  2310,
];
const belowZero: readonly number[] = [-1, -2, -3, -5, -8, -30];

/**
 * Whole values for names: for a single one at all places, for several in many combinations, mostly small.
 * @param negative - also some below zero
 */
export function wholePoints(names: readonly string[], negative: boolean): ReadonlyMap<string, Fraction>[] {
  const all = negative ? [...places, ...belowZero] : places;
  if (names.length < 2) return all.map((place) => new Map(names.map((name) => [name, new Fraction(place)])));
  let state = 0x2545f491;
  const next = (below: number): number => {
    state = Math.imul(state, 1_664_525) + 1_013_904_223;
    return ((state ^ (state >>> 13)) >>> 4) % below;
  };
  const pick = (): number => (next(4) === 0 ? (all[next(all.length)] as number) : 1 + next(12));
  return Array.from({ length: 90 }, () => new Map(names.map((name) => [name, new Fraction(pick())])));
}

/** Letters that stand for whole numbers by custom; others of a floor may be any numbers. */
export function isWholeName(name: string): boolean {
  return /^[jklmnpqKLMN](?:_\w{1,4})?$/u.test(name);
}
