import { type LanguageModel, LaconicError } from "@laconic/core";
import type { TokenPrice } from "@laconic/core/ledger";
import type { SpendAccount } from "@laconic/openai";
import { environmentValue } from "../folders/environment.ts";

/** What calls of a server's model are booked on, and what they cost. */
export interface Spending {
  readonly account: SpendAccount;
  /** US dollars per million tokens, where known. */
  readonly price: TokenPrice | null;
  /** Milliseconds of a call with all its attempts. Default: the client's, 10 minutes. */
  readonly deadlineMs?: number;
}

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

/** Of a model whose price is public. The SDK is loaded where it is used: every other command would pay a tenth of a second for it. */
export async function knownPrice(model: string): Promise<TokenPrice | null> {
  const { publicPrices } = await import("@laconic/openai");
  return publicPrices[model] ?? null;
}

/** A model of an OpenAI-compatible server. */
export interface NamedModel {
  readonly model: string;
  readonly baseUrl: string;
}

/**
 * `NAME@URL`, or `NAME` alone for the server that is asked anyway. A name may have an `@` of its own.
 * @throws LaconicError `config_invalid` without a name
 */
export function namedModel(text: string, baseUrl: string, flag: string): NamedModel {
  const at = /@(?=https?:\/\/)/u.exec(text)?.index;
  const model = at === undefined ? text : text.slice(0, at);
  if (model === "")
    throw new LaconicError("config_invalid", `--${flag}: ${JSON.stringify(text)} is no model; write NAME@URL`, {
      flag,
    });
  return { model, baseUrl: at === undefined ? baseUrl : text.slice(at + 1) };
}

/** Of the OpenAI-compatible server that is asked where none is named. */
export function defaultBaseUrl(): string {
  return environmentValue("OPENAI_BASE_URL") ?? "https://api.openai.com/v1";
}
