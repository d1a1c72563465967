import { LaconicError } from "@laconic/core";

const units: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
};

/** `24GiB`, `24 GB`, `1.5e9`. @throws LaconicError `config_invalid` for anything else. */
export function parseBytes(flag: string, text: string): number {
  const [, number = "", unit = "b"] = /^([\d.]+(?:e\d+)?)\s*([a-z]*)$/i.exec(text.trim()) ?? [];
  const factor = units[unit.toLowerCase() || "b"];
  const bytes = factor === undefined || number === "" ? Number.NaN : Number(number) * factor;
  if (bytes > 0 && bytes < Infinity) return Math.floor(bytes);
  throw new LaconicError("config_invalid", `--${flag} is ${text}, expected bytes such as 24GiB or 16GB`, { flag });
}
