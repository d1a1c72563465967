import { LaconicError } from "@laconic/core";
import { wordTable } from "@laconic/core/checks";

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

/** Seeds as a list with ranges: `1,2,3` or `0-4,9`. @throws LaconicError `config_invalid` unless each is a whole number and new */
export function seedList(flag: string, text: string): number[] {
  const seeds = text.split(",").flatMap((piece) => {
    const [, first = NaN, last = first] = /^\s*(\d{1,15})(?:-(\d{1,15}))?\s*$/u.exec(piece) ?? [];
    const length = Number(last) - Number(first) + 1;
    return length > 0 && length <= 10_000 ? Array.from({ length }, (_, i) => Number(first) + i) : [NaN];
  });
  if (!seeds.includes(NaN) && new Set(seeds).size === seeds.length) return seeds;
  throw new LaconicError("config_invalid", `--${flag} is ${text}, expected seeds such as 1,2,3 or 0-4, each once`, {
    flag,
  });
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
