import { group, shapes, type GroupShape } from "../shapes/shape.ts";
import type { TokenUsage } from "./token-usage.ts";

/** Shape of a stored usage, in a separate module for tree shaking. */
export const tokenUsageShape: GroupShape<TokenUsage> = group<TokenUsage>({
  promptTokens: { shape: shapes.count },
  cachedTokens: { shape: shapes.count, optional: true },
  cacheWriteTokens: { shape: shapes.count, optional: true },
  completionTokens: { shape: shapes.count },
  reasoningTokens: { shape: shapes.count, optional: true },
  costUsd: { shape: shapes.atLeast0, optional: true },
  counted: { shape: { kind: "choice", of: ["model", "server", "tokenizer", "estimate"] } },
});
