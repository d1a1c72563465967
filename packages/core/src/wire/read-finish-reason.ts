import type { FinishReason } from "../language-model.ts";
import { isRecord } from "../shapes/is-record.ts";

/** Servers' finish reasons in lower case with underscores. `broken`: a retry may help. Tool calls are stops. */
const words: Readonly<Record<Exclude<FinishReason, "unknown"> | "broken", readonly string[]>> = {
  stop: [
    "stop", // OpenAI, Azure, Gemini, Mistral, DeepSeek, xAI, vLLM, SGLang, llama.cpp, Ollama, OpenRouter
    "tool_calls", // OpenAI and its followers
    "function_call", // OpenAI, older models
    "end_turn", // Anthropic, xAI
    "stop_sequence", // Anthropic, Text Generation Inference, Cohere
    "tool_use", // Anthropic
    "tool_call", // Cohere
    "complete", // Cohere
    "completed", // OpenAI's Responses
    "eos", // Together, llama.cpp
    "eos_token", // Text Generation Inference
    "word", // llama.cpp
  ],
  length: [
    "length", // OpenAI and its followers
    "max_tokens", // Anthropic, Gemini, Cohere
    "max_output_tokens", // OpenAI's Responses
    "max_len", // xAI's gRPC
    "max_context", // xAI's gRPC
    "model_length", // Mistral
    "model_context_window_exceeded", // Anthropic, Bedrock, Zhipu
    "limit", // llama.cpp
  ],
  refusal: [
    "refusal", // Anthropic
    "content_filter", // OpenAI, Azure, DeepSeek, OpenRouter, Gemini
    "content_policy_violation", // OpenAI's errors
    "content_filtered", // Bedrock
    "guardrail_intervened", // Bedrock
    "safety", // Gemini, like the entries below
    "recitation",
    "language",
    "blocklist",
    "prohibited_content",
    "spii",
    "image_safety",
    "sensitive", // Zhipu
    "error_toxic", // Cohere
  ],
  broken: [
    "error", // Mistral, OpenRouter, vLLM, Cohere, the AI SDK
    "abort", // vLLM, SGLang
    "aborted",
    "cancelled",
    "interrupted", // the AI SDK
    "insufficient_system_resource", // DeepSeek
    "network_error", // Zhipu
    "timeout", // Cohere
  ],
};

const readings = new Map(
  Object.entries(words).flatMap(([reading, raw]) => raw.map((word) => [word, reading as keyof typeof words] as const)),
);

/**
 * Reads a server's finish reason in any case: plain, after a prefix such as `FinishReason.`, before details after a
 * colon, or in an object's `type` (SGLang). `unknown` for a missing or unlisted reason.
 */
export function readFinishReason(input: unknown): FinishReason | "broken" {
  const word: unknown = isRecord(input) ? input["type"] : input;
  return typeof word === "string" ? (readings.get(plain(word)) ?? "unknown") : "unknown";
}

function plain(word: string): string {
  const [name = ""] = word.slice(0, 100).split(":");
  return name
    .replaceAll(/([a-z])([A-Z])/gu, "$1_$2")
    .toLowerCase()
    .replaceAll(/[^a-z]+/gu, "_")
    .replaceAll(/^_?(?:(?:finish_)?reason_)?|_$/gu, "");
}
