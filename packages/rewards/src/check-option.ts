import { configError } from "@laconic/core";

export function checkOption(key: string, match: unknown, valid: boolean, allowed: string): void {
  if (!valid) throw configError(`${key} is ${String(match)}; it must be ${allowed}`, { key });
}

export function checkCount(key: string, value: number, least = 1): void {
  checkOption(key, value, Number.isInteger(value) && value >= least, `a whole number from ${least}`);
}
