import { LaconicError } from "@laconic/core";
import { positiveNumber } from "../cli/numbers.ts";
import { isReference } from "@laconic/runtime/resolver";
import type { ActorChoice, AppConfig } from "@laconic/runtime";
import { knownPrice, pricePair, type Spending } from "@laconic/runtime/spending";
import { checkPriced, deadlineOf } from "./spending.ts";

/** As given. */
export interface CapFlags {
  readonly "max-usd"?: string | undefined;
  readonly "actor-price"?: string | undefined;
  readonly timeout?: string | undefined;
}

/** Of commands whose agents may speak through a server's API. */
export const actorSpendingFlags = {
  "max-usd": { type: "string", description: "Stop before more is spent on an actor's server", valueHint: "$" },
  "actor-price": {
    type: "string",
    description: "US dollars per million prompt and completion tokens of an actor's server, where not public",
    valueHint: "p,c",
  },
} as const;

/**
 * What calls of an actor behind a server are booked on; null for one that is not.
 * @param spentUsd - by the same run before: the cap is the run's, however often it goes on
 * @throws LaconicError `config_invalid` for a cap that has no effect, or without a price
 */
export async function actorSpending(
  speaks: AppConfig["actor"] | ActorChoice["speaks"],
  cap: CapFlags,
  spentUsd = 0,
): Promise<Spending | null> {
  const api = speaks !== null && !isReference(speaks) && "api" in speaks ? speaks.api : null;
  if (api) {
    const given = cap["actor-price"];
    const maxUsd = cap["max-usd"] === undefined ? null : positiveNumber("max-usd", cap["max-usd"]);
    const price = given === undefined ? await knownPrice(api.model) : pricePair(given, "actor-price");
    if (maxUsd !== null) checkPriced(price, api.model, "actor-price");
    const { SpendAccount } = await import("@laconic/openai");
    return { account: new SpendAccount(maxUsd, spentUsd), price, ...deadlineOf(cap) };
  }
  const flag = (["max-usd", "actor-price", "timeout"] as const).find((each) => cap[each] !== undefined);
  if (flag === undefined) return null;
  throw new LaconicError(
    "config_invalid",
    `--${flag} has no effect: no agent speaks through a server's API; remove it`,
    {
      flag,
    },
  );
}

/** `; $0.0123 spent` behind a result; empty where nothing was counted. */
export function spentText(spending: Spending | null): string {
  return spending?.price ? `; $${spending.account.spentUsd.toFixed(4)} spent on the actor` : "";
}
