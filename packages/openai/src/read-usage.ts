import { isRecord } from "@laconic/core";
import { sumKinds, type TokenCounts } from "@laconic/core/ledger";

/** Missing counts are 0. */
export interface ReportedUsage extends TokenCounts {
  /** Prompt and completion are reported, and all counts are consistent. */
  readonly agrees: boolean;
}

/** The AI SDK keeps the provider's counts next to derived ones. */
const places = [
  "usage.raw",
  "providerMetadata.anthropic.usage",
  "usage",
  "usageMetadata", // Gemini
  "meta_info", // SGLang
  "", // Ollama, llama.cpp
  "timings", // llama.cpp
];

/** Order of preference. A plus joins fields that exclude each other. */
const fields = {
  prompt: [
    "native_tokens_prompt", // OpenRouter
    "prompt_tokens", // OpenAI's completions, and compatible servers
    "prompt_cache_hit_tokens + prompt_cache_miss_tokens", // DeepSeek
    "input_tokens + cache_read_input_tokens + cache_creation_input_tokens", // Anthropic; OpenAI's responses without a cache
    "promptTokenCount + toolUsePromptTokenCount", // Gemini
    "inputTokens.total", // AI SDK v3
    "inputTokens.noCache + inputTokens.cacheRead + inputTokens.cacheWrite",
    "inputTokens + cacheReadInputTokens + cacheWriteInputTokens", // Bedrock; AI SDK v2 without a cache
    "prompt_eval_count", // Ollama
    "tokens_evaluated", // llama.cpp
    "cache_n + prompt_n", // llama.cpp's timings
  ],
  cached: [
    "native_tokens_cached",
    "prompt_tokens_details.cached_tokens",
    "prompt_token_details.cached_tokens",
    "input_tokens_details.cached_tokens",
    "prompt_cache_hit_tokens",
    "cache_read_input_tokens",
    "cached_tokens", // SGLang, Moonshot
    "num_cached_tokens", // Mistral
    "cachedContentTokenCount",
    "inputTokens.cacheRead",
    "cachedInputTokens",
    "cacheReadInputTokens",
    "cache_n",
  ],
  cacheWrite: [
    "prompt_tokens_details.cache_write_tokens", // OpenRouter
    "prompt_tokens_details.cache_creation_tokens", // LiteLLM
    "cache_creation_input_tokens",
    "inputTokens.cacheWrite",
    "cacheWriteInputTokens",
  ],
  completion: [
    "native_tokens_completion",
    "completion_tokens",
    "output_tokens",
    "candidatesTokenCount + thoughtsTokenCount",
    "thoughtsTokenCount",
    "outputTokens.total",
    "outputTokens.text + outputTokens.reasoning",
    "outputTokens",
    "eval_count",
    "tokens_predicted",
    "predicted_n",
  ],
  reasoning: [
    "native_tokens_reasoning",
    "completion_tokens_details.reasoning_tokens",
    "output_tokens_details.reasoning_tokens",
    "reasoning_tokens", // SGLang, Perplexity
    "thoughtsTokenCount",
    "outputTokens.reasoning",
    "reasoningTokens",
  ],
  total: ["total_tokens", "totalTokenCount", "totalTokens"],
} as const;

/** US dollars per unit: OpenRouter's credits, xAI's ticks. */
const costs = { cost: 1, "cost_details.upstream_inference_cost": 1, cost_in_usd_ticks: 1e-10 };

/** Larger counts are server errors. */
const maxCount = 1e9;

/**
 * Reads token counts from any reply. If counts contradict each other, the reading with the most tokens is used:
 * - parts that exceed their whole are added to it, as xAI counts reasoning
 * - a total above prompt + completion contains hidden completion tokens, as in Gemini's compatible API
 */
export function readUsage(reply: unknown): ReportedUsage {
  const sources = places.map((location) => valueIn(reply, location)).filter((source) => source !== undefined);
  let agrees = true;
  const countIn = (source: unknown, field: string): number | undefined => {
    const value = valueIn(source, field);
    if (isCount(value)) return value;
    // AI SDK providers write NaN for unknown counts.
    agrees &&= value === undefined || value === null || Number.isNaN(value) || typeof value === "object";
    return undefined;
  };
  const read = (kind: keyof typeof fields, source: unknown): number | undefined => {
    for (const names of fields[kind]) {
      const [first, ...others] = names.split(" + ").map((field) => countIn(source, field));
      if (first !== undefined) return others.reduce<number>((sum, count) => sum + (count ?? 0), first);
    }
    return undefined;
  };
  const [[prompt, completion, total = 0] = []] = sources
    .map((source) => [read("prompt", source), read("completion", source), read("total", source)] as const)
    .toSorted((a, b) => present(b) - present(a));
  const part = (kind: keyof typeof fields) =>
    sources.map((source) => read(kind, source)).find((count) => count !== undefined) ?? 0;
  const [cachedTokens, cacheWriteTokens] = [part("cached"), part("cacheWrite")];
  let [promptTokens, completionTokens, reasoningTokens] = [prompt ?? 0, completion ?? 0, part("reasoning")];
  const cache = cachedTokens + cacheWriteTokens;
  if (cache > promptTokens) promptTokens += cache;
  if (reasoningTokens > completionTokens) completionTokens += reasoningTokens;
  // A total of 0 was not filled in.
  const rest = total === 0 ? 0 : total - promptTokens - completionTokens;
  if (rest > 0 && completion === undefined) completionTokens += rest;
  else if (rest > 0 && rest === cache && reasoningTokens === 0) promptTokens += rest;
  else if (rest > 0) [completionTokens, reasoningTokens] = [completionTokens + rest, Math.max(reasoningTokens, rest)];
  agrees &&= prompt !== undefined && (completion !== undefined || total > 0) && rest >= 0;
  const kinds = sumKinds([{ cachedTokens, cacheWriteTokens, reasoningTokens, costUsd: costOf(sources) }]);
  return { promptTokens, completionTokens, ...kinds, agrees };
}

function present(counts: readonly unknown[]): number {
  return counts.slice(0, 2).filter((count) => count !== undefined).length;
}

/** Largest cost in the reply; 0 if there is none. */
function costOf(sources: readonly unknown[]): number {
  const named = sources.flatMap((source) =>
    Object.entries(costs).map(([field, usd]) => {
      const value = valueIn(source, field);
      return typeof value === "number" && Number.isFinite(value) ? value * usd : 0;
    }),
  );
  return Math.max(0, ...named);
}

function valueIn(value: unknown, path: string): unknown {
  if (path === "") return value;
  return path
    .split(".")
    .reduce<unknown>((inner, key) => (isRecord(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined), value);
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= maxCount;
}
