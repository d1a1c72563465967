/**
 * Why a model stopped writing: it ended its turn, it reached a limit, it or a filter refused, or the server does not say so in a
 * way that is known here. A reply that ends by `unknown` may lack its end.
 */
export const finishReasons = ["stop", "length", "refusal", "unknown"] as const;

/** One of `finishReasons`. */
export type FinishReason = (typeof finishReasons)[number];

const cutShort: Readonly<Record<FinishReason, boolean>> = { stop: false, length: true, refusal: false, unknown: true };

/** Whether a reply may lack its end. */
export function isCutShort(reason: FinishReason): boolean {
  return cutShort[reason];
}
