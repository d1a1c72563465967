import { LaconicError } from "@laconic/core";
import type { TokenPrice } from "@laconic/core/ledger";
import { knownPrice, type Spending } from "./spending.ts";

/** The most that may be spent on an actor's server, and how; what is not given is left to the client and to public prices. */
export interface ActorCap {
  readonly maxUsd?: number;
  readonly price?: TokenPrice;
  readonly deadlineMs?: number;
}

/** What the command line calls them. */
const flagOf = { maxUsd: "max-usd", price: "actor-price", deadlineMs: "timeout" } as const;

/**
 * What calls of an actor behind a server are booked on; null for one that is not.
 * @param spentUsd - by the same run before: the cap is the run's, however often it goes on
 * @throws LaconicError `config_invalid` for a cap that has no effect, or without a price
 */
export async function actorSpending(
  speaks: object | null,
  { maxUsd, price: given, deadlineMs }: ActorCap,
  spentUsd = 0,
): Promise<Spending | null> {
  const api = speaks !== null && "api" in speaks ? (speaks.api as { readonly model: string }) : null;
  if (api) {
    const price = given ?? (await knownPrice(api.model));
    if (maxUsd !== undefined) checkPriced(price, api.model, flagOf.price);
    const { SpendAccount } = await import("@laconic/openai");
    const account = new SpendAccount(maxUsd ?? null, spentUsd);
    return { account, price, ...(deadlineMs !== undefined && { deadlineMs }) };
  }
  const [key] = Object.entries({ maxUsd, price: given, deadlineMs }).find(([, value]) => value !== undefined) ?? [];
  if (key === undefined) return null;
  const flag = flagOf[key as keyof typeof flagOf];
  throw new LaconicError(
    "config_invalid",
    `--${flag} has no effect: no agent speaks through a server's API; remove it`,
    { flag },
  );
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
