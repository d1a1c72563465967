import type { TokenPrice } from "@laconic/core/ledger";

/** Of a model whose price is public. The SDK is loaded where it is used: every other command would pay a tenth of a second for it. */
export async function knownPrice(model: string): Promise<TokenPrice | null> {
  const { publicPrices } = await import("@laconic/openai");
  return publicPrices[model] ?? null;
}
