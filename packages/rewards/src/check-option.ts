import { configError } from "@laconic/core";

export function checkOption(key: string, match: unknown, valid: boolean, allowed: string): void {
  if (!valid) throw configError(`${key} is ${String(match)}; it must be ${allowed}`, { key });
}

export function checkChoice(key: string, match: string, first: string, second: string): void {
  checkOption(key, match, match === first || match === second, `"${first}" or "${second}"`);
}

export function checkAcceptAt(acceptAt: number): void {
  checkOption("acceptAt", acceptAt, acceptAt > 0 && acceptAt <= 1, "above 0 and at most 1");
}

export function checkCount(key: string, value: number, least = 1): void {
  checkOption(key, value, Number.isInteger(value) && value >= least, `a whole number from ${least}`);
}
