import { LaconicError, type TokenPrice } from "@laconic/core";
import { knownPrice, pricePair } from "@laconic/runtime/spending";
import { positiveNumber } from "../cli/numbers.ts";

/** The most that a command may spend, and the price that it counts with. */
export interface SpendingCap {
  readonly maxUsd: number | null;
  readonly price: TokenPrice | null;
}

/** `--max-usd` and `--price` of commands that ask one model. */
export const spendingFlags = {
  "max-usd": { type: "string", description: "Stop before more is spent", valueHint: "$" },
  price: {
    type: "string",
    description: "US dollars per million prompt and completion tokens, where the model's is not known",
    valueHint: "p,c",
  },
} as const;

/** `--timeout` of commands whose calls go to a server. */
export const timeoutFlag = {
  timeout: {
    type: "string",
    description: "Seconds of a call to a server, with all its attempts (default: 600)",
    valueHint: "s",
  },
} as const;

/** @throws LaconicError `config_invalid` */
export function deadlineOf({ timeout }: { readonly timeout?: string | undefined }): { readonly deadlineMs?: number } {
  return timeout === undefined ? {} : { deadlineMs: positiveNumber("timeout", timeout) * 1000 };
}

/** @throws LaconicError `config_invalid` naming the flag; for a cap without a price */
export async function spendingCap(
  args: { readonly "max-usd"?: string | undefined; readonly price?: string | undefined },
  model: string,
): Promise<SpendingCap> {
  const maxUsd = args["max-usd"] === undefined ? null : positiveNumber("max-usd", args["max-usd"]);
  const price = args.price === undefined ? await knownPrice(model) : pricePair(args.price);
  if (maxUsd !== null) checkPriced(price, model, "price");
  return { maxUsd, price };
}

/** @throws LaconicError `config_invalid` for a price that nobody knows */
export function checkPriced(price: TokenPrice | null, model: string, flag: string): void {
  if (price) return;
  throw new LaconicError(
    "config_invalid",
    `--max-usd: what ${model} costs is not known; give --${flag}, in US dollars per million tokens, such as 0.15,0.6`,
    { flag },
  );
}
