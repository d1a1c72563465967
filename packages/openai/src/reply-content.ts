import { isRecord } from "@laconic/core";

/** Untrusted object. Each field is read as its expected type or as missing. */
export type ReplyFields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): ReplyFields | null {
  return isRecord(value) ? value : null;
}

export function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function countOf(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;
}

export function listOf<T>(value: unknown, read: (entry: unknown) => T | null): readonly T[] | null {
  if (!Array.isArray(value)) return null;
  const entries = value.map(read).filter((entry) => entry !== null);
  return entries.length === value.length ? entries : null;
}

export interface ReplyContent {
  readonly text: string;
  readonly hidden: string;
  readonly refusal: string;
}

/** A part without a type is text. Images, tool calls and unknown types are ignored. */
const purposes: Readonly<Record<string, keyof ReplyContent>> = {
  text: "text", // OpenAI, Anthropic, Mistral, Cohere, the AI SDK
  output_text: "text", // OpenAI's Responses
  refusal: "refusal", // OpenAI
  thinking: "hidden", // Anthropic, Mistral, Cohere
  reasoning: "hidden", // the AI SDK
  reasoning_text: "hidden", // OpenAI's Responses
  summary_text: "hidden", // OpenAI's Responses
};

const textFields = ["text", "thinking", "reasoning", "summary", "refusal", "content", "value"] as const;

/** Reads text, parts, or an object with `parts` (Gemini); null otherwise. */
export function readContent(content: unknown): ReplyContent | null {
  const match = { text: "", hidden: "", refusal: "" };
  for (const part of [fieldsOf(content)?.["parts"] ?? content].flat()) {
    const { type = "text", thought } = fieldsOf(part) ?? {};
    const purpose = typeof type === "string" && Object.hasOwn(purposes, type) ? purposes[type] : undefined;
    if (purpose === undefined) continue;
    const text = textWithin(part);
    if (text === null) return null;
    match[thought === true ? "hidden" : purpose] += text; // Gemini marks reasoning
  }
  return match;
}

/** Text of a value: a string, a part, or a list of them; may be empty. @returns null otherwise */
export function textWithin(value: unknown): string | null {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  if (Array.isArray(value)) {
    const texts = value.map(textWithin);
    return texts.includes(null) ? null : texts.join("");
  }
  const fields = fieldsOf(value);
  const inner = fields && (textFields.map((field) => fields[field]).find((item) => (item ?? null) !== null) ?? null);
  // An encrypted part has a type and no text.
  if (!fields || (inner === null && typeof fields["type"] !== "string")) return null;
  return textWithin(inner);
}
