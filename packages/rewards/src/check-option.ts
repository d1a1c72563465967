import { LaconicError } from "@laconic/core";

export function checkOption(key: string, found: unknown, valid: boolean, allowed: string): void {
  if (!valid) throw new LaconicError("config_invalid", `${key} is ${String(found)}; it must be ${allowed}`, { key });
}

export function checkCount(key: string, value: number, least = 1): void {
  checkOption(key, value, Number.isInteger(value) && value >= least, `a whole number from ${least}`);
}
