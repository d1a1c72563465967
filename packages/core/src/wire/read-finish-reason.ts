import type { FinishReason } from "../language-model.ts";
import { isRecord } from "../shapes/is-record.ts";

type Reading = Exclude<FinishReason, "unknown"> | "broken";

/**
 * Finish reasons by the server that introduced them, in lower case with underscores. `broken`: a retry may help. Tool
 * calls are stops.
 */
const words: Readonly<Record<string, Partial<Readonly<Record<Reading, string>>>>> = {
  OpenAI: {
    stop: "stop tool_calls function_call completed",
    length: "length max_output_tokens",
    refusal: "content_filter content_policy_violation",
  },
  Anthropic: {
    stop: "end_turn stop_sequence tool_use",
    length: "max_tokens model_context_window_exceeded",
    refusal: "refusal",
  },
  Gemini: { refusal: "safety recitation language blocklist prohibited_content spii image_safety" },
  Cohere: { stop: "complete tool_call", refusal: "error_toxic", broken: "timeout" },
  Bedrock: { refusal: "content_filtered guardrail_intervened" },
  Mistral: { length: "model_length", broken: "error" },
  xAI: { length: "max_len max_context" },
  DeepSeek: { broken: "insufficient_system_resource" },
  Zhipu: { refusal: "sensitive", broken: "network_error" },
  Together: { stop: "eos" },
  "Text Generation Inference": { stop: "eos_token" },
  "llama.cpp": { stop: "word", length: "limit" },
  "vLLM, SGLang": { broken: "abort aborted cancelled" },
  "AI SDK": { broken: "interrupted" },
};

const readings = new Map(
  Object.values(words).flatMap((byReading) =>
    Object.entries(byReading).flatMap(([reading, list]) =>
      list.split(" ").map((word) => [word, reading as Reading] as const),
    ),
  ),
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
