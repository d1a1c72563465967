import type { LanguageModel } from "@laconic/core";
import type { NamedModel } from "./named-model.ts";
import type { Spending } from "./spending.ts";

/**
 * A server's model, with as many calls at a time as it bears, booked where somebody keeps an account. The SDK is loaded here: it takes a tenth of a second, which every
 * other command would pay.
 */
export async function servedModel(
  { model, baseUrl }: NamedModel,
  concurrency: number,
  spending: Spending | null = null,
): Promise<LanguageModel> {
  const { Limiter, openAiModel } = await import("@laconic/openai");
  const limiter = new Limiter({ start: Math.min(20, concurrency), max: concurrency });
  const { price = null, ...rest } = spending ?? {};
  const booked = { ...rest, ...(price && { price }) };
  return openAiModel({ model, baseUrl, limiter, ...booked });
}
