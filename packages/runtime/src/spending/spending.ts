import type { TokenPrice } from "@laconic/core/ledger";
import type { SpendAccount } from "@laconic/openai";

/** What calls of a server's model are booked on, and what they cost. */
export interface Spending {
  readonly account: SpendAccount;
  /** US dollars per million tokens, where known. */
  readonly price: TokenPrice | null;
  /** Milliseconds of a call with all its attempts. Default: the client's, 10 minutes. */
  readonly deadlineMs?: number;
}
