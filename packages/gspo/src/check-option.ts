import { LaconicError } from "@laconic/core";

/** @throws LaconicError `config_invalid` naming the option, its value and what it may be. */
export function checkOption(holds: boolean, name: string, value: number, expected: string): void {
  if (!holds) throw new LaconicError("config_invalid", `${name} is ${value}, expected ${expected}`);
}
