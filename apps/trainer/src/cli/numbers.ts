import { LaconicError, wordTable } from "@laconic/core";

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

const units: Readonly<Record<string, number>> = wordTable({
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
});

/** `24GiB`, `24 GB`, `1.5e9`. @throws LaconicError `config_invalid` for anything else. */
export function parseBytes(flag: string, text: string): number {
  const [, number = "", unit = "b"] = /^([\d.]+(?:e\d+)?)\s*([a-z]*)$/i.exec(text.trim()) ?? [];
  const factor = units[unit.toLowerCase() || "b"];
  const bytes = factor === undefined || number === "" ? Number.NaN : Number(number) * factor;
  if (bytes > 0 && bytes < Infinity) return Math.floor(bytes);
  throw new LaconicError("config_invalid", `--${flag} is ${text}, expected bytes such as 24GiB or 16GB`, { flag });
}
