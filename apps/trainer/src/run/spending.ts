import { present } from "@laconic/core";
import { formatUsd } from "@laconic/core/text";
import type { TokenPrice } from "@laconic/core/ledger";
import { checkPriced, knownPrice, parsePrice, type ActorCap, type Spending } from "@laconic/runtime/spending";
import { grouped, positiveFlag, type Flags, type ValueFlag, valueFlag } from "../cli/arguments.ts";

export interface SpendingFlags {
  readonly "max-usd": number | undefined;
  readonly price: TokenPrice | undefined;
}

export interface CapFlags {
  readonly "max-usd"?: number | undefined;
  readonly "actor-price"?: TokenPrice | undefined;
  readonly timeout?: number | undefined;
}

export const priceFlag: ValueFlag<TokenPrice> = valueFlag(parsePrice);

export const timeoutFlag: Flags<{ readonly timeout: number | undefined }> = grouped("Limits", {
  timeout: positiveFlag("Max seconds of a server call with all attempts (default: 600)", "s"),
});

export const spendingFlags: Flags<SpendingFlags> = grouped("Limits", {
  "max-usd": positiveFlag("Spending limit in US dollars", "$"),
  price: priceFlag("US dollars per million prompt and completion tokens (default: public price)", "p,c,cached=..."),
});

export const actorSpendingFlags: Flags<CapFlags> = {
  ...grouped("Limits", {
    "max-usd": positiveFlag("Spending limit for the actor's server in US dollars", "$"),
    "actor-price": priceFlag("Actor's US dollars per million prompt and completion tokens", "p,c,cached=..."),
  }),
  ...timeoutFlag,
};

export function deadlineOf({ timeout }: { readonly timeout?: number | undefined }): { readonly deadlineMs?: number } {
  return timeout === undefined ? {} : { deadlineMs: timeout * 1000 };
}

/** Spending limit, and the price to count with. @throws LaconicError `config_invalid` for a cap without a price */
export async function spendingCap(
  args: SpendingFlags,
  model: string,
): Promise<{ readonly maxUsd: number | null; readonly price: TokenPrice | null }> {
  const maxUsd = args["max-usd"] ?? null;
  const price = args.price ?? (await knownPrice(model));
  if (maxUsd !== null) checkPriced(price, model, "price");
  return { maxUsd, price };
}

export function actorCap({ "max-usd": maxUsd, "actor-price": price, timeout }: CapFlags): ActorCap {
  return { ...present({ maxUsd, price }), ...deadlineOf({ timeout }) };
}

export function spentText(spending: Spending | null): string {
  return spending?.price ? `; ${formatUsd(spending.account.spentUsd)} spent on the actor` : "";
}
