import { group, type GroupShape } from "../shapes/shape.ts";
import type { TokenUsage } from "./token-usage.ts";

/** Shape of a stored usage, in a separate module for tree shaking. */
export const tokenUsageShape: GroupShape<TokenUsage> = group<TokenUsage>({
  promptTokens: { shape: "count" },
  cachedTokens: { shape: "count", optional: true },
  cacheWriteTokens: { shape: "count", optional: true },
  completionTokens: { shape: "count" },
  reasoningTokens: { shape: "count", optional: true },
  costUsd: { shape: "atLeast0", optional: true },
  counted: { shape: { kind: "choice", of: ["model", "server", "tokenizer", "estimate"] } },
});
