import { configError } from "@laconic/core";

export function checkOption(holds: boolean, name: string, value: number, expected: string): void {
  if (!holds || typeof value !== "number") refuse(name, value, expected);
}

export function checkChoice(name: string, value: string, choices: readonly string[]): void {
  if (!choices.includes(value)) refuse(name, value, choices.join(", "));
}

function refuse(name: string, value: number | string, expected: string): never {
  const shown = typeof value === "string" ? `"${value}"` : value;
  throw configError(`${name} is ${shown}, expected ${expected}`);
}
