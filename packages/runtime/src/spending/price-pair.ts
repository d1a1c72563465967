import { LaconicError, type TokenPrice } from "@laconic/core";

/**
 * `--price` and its like: US dollars per million prompt and completion tokens.
 * @throws LaconicError `config_invalid` for anything but two numbers with a comma
 */
export function pricePair(text: string, flag = "price"): TokenPrice {
  const [prompt, completion] = text.split(",").map(Number);
  if (prompt !== undefined && completion !== undefined && prompt >= 0 && completion >= 0) return { prompt, completion };
  throw new LaconicError(
    "config_invalid",
    `--${flag} is ${text}, expected two numbers with a comma, such as 0.15,0.6`,
    { flag },
  );
}
