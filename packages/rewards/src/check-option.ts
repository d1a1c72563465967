import { LaconicError } from "@laconic/core";

/** @throws LaconicError `config_invalid` naming the option, what it is and what it may be. */
export function checkOption(key: string, found: unknown, valid: boolean, allowed: string): void {
  if (!valid) throw new LaconicError("config_invalid", `${key} is ${String(found)}; it must be ${allowed}`, { key });
}

/** @throws LaconicError `config_invalid` unless the option is a whole number from `least`. */
export function checkCount(key: string, value: number, least = 1): void {
  checkOption(key, value, Number.isInteger(value) && value >= least, `a whole number from ${least}`);
}
