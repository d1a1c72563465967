import type { FinishReason } from "@laconic/core";

/** Why a reply ended, as OpenAI's interface says it; null where the model does not say it in a way that is known. */
export type WireReason = "stop" | "length" | "content_filter" | "tool_calls" | null;

export const wireReasons: Readonly<Record<FinishReason, WireReason>> = {
  stop: "stop",
  length: "length",
  refusal: "content_filter",
  unknown: null,
};
