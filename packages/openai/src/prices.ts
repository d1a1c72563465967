import { wordTable } from "@laconic/core/checks";
import type { TokenPrice } from "@laconic/core/ledger";

/** US dollars per million tokens, as the provider's public price page listed them on `date`; reasoning costs as completion. */
export const publicPrices: Readonly<Record<string, TokenPrice & { readonly date: string }>> = wordTable({
  "gpt-4o": { prompt: 2.5, cached: 1.25, completion: 10, date: "2025-06-01" },
  "gpt-4o-mini": { prompt: 0.15, cached: 0.075, completion: 0.6, date: "2025-06-01" },
  "gpt-4.1": { prompt: 2, cached: 0.5, completion: 8, date: "2025-06-01" },
  "gpt-4.1-mini": { prompt: 0.4, cached: 0.1, completion: 1.6, date: "2025-06-01" },
  "gpt-4.1-nano": { prompt: 0.1, cached: 0.025, completion: 0.4, date: "2025-06-01" },
  "gpt-4-1106-preview": { prompt: 10, completion: 30, date: "2024-01-01" },
  "gpt-3.5-turbo": { prompt: 0.5, completion: 1.5, date: "2024-06-01" },
});
