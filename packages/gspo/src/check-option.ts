import { LaconicError, nearestName, shownValue } from "@laconic/core";

/** @throws LaconicError `config_invalid` naming the option, its value and what it may be. */
export function checkOption(holds: boolean, name: string, value: number, expected: string): void {
  if (holds && typeof value === "number") return;
  throw new LaconicError("config_invalid", `${name} is ${shownValue(value)}, expected ${expected}`);
}

/**
 * JavaScript has no compiler that finds a misspelt choice.
 * @throws LaconicError `config_invalid` naming the option, its value and the choices.
 */
export function checkChoice(name: string, value: unknown, choices: readonly string[]): void {
  if (choices.includes(value as string)) return;
  const near = typeof value === "string" ? nearestName(value, choices) : undefined;
  const hint = near === undefined ? "" : `; did you mean ${near}?`;
  throw new LaconicError("config_invalid", `${name} is ${shownValue(value)}, expected ${choices.join(", ")}${hint}`);
}
