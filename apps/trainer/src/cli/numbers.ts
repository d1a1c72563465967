import { LaconicError } from "@laconic/core";

/** @throws LaconicError `config_invalid` naming the flag */
export function wholeNumber(flag: string, given: string, least = 1, most: number = Infinity): number {
  const value = Number(given);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  const range = most === Infinity ? `a whole number from ${least}` : `${least} to ${most}`;
  throw new LaconicError("config_invalid", `--${flag} is ${given}, expected ${range}`, { flag });
}

/** @throws LaconicError `config_invalid` naming the flag */
export function positiveNumber(flag: string, given: string): number {
  const value = Number(given);
  if (value > 0 && value < Infinity) return value;
  throw new LaconicError("config_invalid", `--${flag} is ${given}, expected a number above 0`, { flag });
}
