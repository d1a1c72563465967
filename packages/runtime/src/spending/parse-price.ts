import { findShapeMismatch, LaconicError } from "@laconic/core";
import { tokenPriceShape, type TokenPrice } from "@laconic/core/ledger";

const example = "0.15,0.6 or 0.15,0.6,cached=0.075,cacheWrite=0.2,reasoning=0.6,date=2026-01-31";

/**
 * Reads `--price` and its like: US dollars per million prompt and completion tokens, and by name the rates of other kinds and the day on which
 * they were read. A slash separates as a comma does, for flags that list prices.
 * @throws LaconicError `config_invalid` naming the flag and what is wrong
 */
export function parsePrice(text: string, flag = "price"): TokenPrice {
  const refuse = (reason: string): never => {
    throw new LaconicError("config_invalid", `--${flag} is ${text}: ${reason}; expected ${example}`, { flag });
  };
  const words = text.split(/[,/]/u).map((word) => word.trim());
  const entries = words.map((word, i) => {
    const [name = "", value = ""] = i < 2 ? [["prompt", "completion"][i], word] : word.split(/=(.*)/u);
    return [name, name === "date" || value === "" ? value : Number(value)] as const;
  });
  const names = entries.map(([name]) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) return refuse(`it has two of ${JSON.stringify(twice)}`);
  const price: unknown = Object.fromEntries(entries);
  const mismatch = findShapeMismatch(tokenPriceShape, price);
  if (mismatch) return refuse(`${mismatch.path.join(".")}: ${mismatch.reason}`);
  const { date } = price as TokenPrice;
  if (date !== undefined && !isDay(date)) return refuse("date is no day, YYYY-MM-DD");
  return price as TokenPrice;
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/u.test(text) && new Date(text).toJSON()?.startsWith(text);
}
