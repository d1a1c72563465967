import { formatUsd } from "@laconic/core/text";
import type { TokenPrice } from "@laconic/core/ledger";
import { checkPriced, knownPrice, parsePrice, type ActorCap, type Spending } from "@laconic/runtime/spending";
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
    valueHint: "p,c,cached=...",
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
  const price = args.price === undefined ? await knownPrice(model) : parsePrice(args.price);
  if (maxUsd !== null) checkPriced(price, model, "price");
  return { maxUsd, price };
}

/** Of commands whose agents may speak through a server's API. */
export const actorSpendingFlags = {
  "max-usd": { type: "string", description: "Stop before more is spent on an actor's server", valueHint: "$" },
  "actor-price": {
    type: "string",
    description: "US dollars per million prompt and completion tokens of an actor's server, where not public",
    valueHint: "p,c,cached=...",
  },
} as const;

/** `--max-usd`, `--actor-price` and `--timeout` as given. */
export interface CapFlags {
  readonly "max-usd"?: string | undefined;
  readonly "actor-price"?: string | undefined;
  readonly timeout?: string | undefined;
}

/** @throws LaconicError `config_invalid` naming the flag */
export function actorCap(flags: CapFlags): ActorCap {
  const { "max-usd": maxUsd, "actor-price": price } = flags;
  return {
    ...(maxUsd !== undefined && { maxUsd: positiveNumber("max-usd", maxUsd) }),
    ...(price !== undefined && { price: parsePrice(price, "actor-price") }),
    ...deadlineOf(flags),
  };
}

/** `; $0.0123 spent` behind a result; empty where nothing was counted. */
export function spentText(spending: Spending | null): string {
  return spending?.price ? `; ${formatUsd(spending.account.spentUsd)} spent on the actor` : "";
}
