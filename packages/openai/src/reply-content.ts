import { isRecord } from "@laconic/core";

/** An object out of a reply. Its fields are whatever the server sent: each is read as what it should be, or as absent. */
export type ReplyFields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): ReplyFields | null {
  return isRecord(value) ? value : null;
}

export function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** A whole number from 0. */
export function countOf(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;
}

/** A list in which every entry can be read; null for anything else. */
export function listOf<T>(value: unknown, read: (entry: unknown) => T | null): readonly T[] | null {
  if (!Array.isArray(value)) return null;
  const entries = value.map(read).filter((entry) => entry !== null);
  return entries.length === value.length ? entries : null;
}

/** Content of a message by its purpose. */
export interface ReplyContent {
  readonly text: string;
  /** What the model thought. */
  readonly hidden: string;
  readonly refusal: string;
}

/** Purposes of parts, by their type; a part without a type is text. Images, calls of tools and later types say nothing here. */
const purposes: Readonly<Record<string, keyof ReplyContent>> = {
  text: "text", // OpenAI, Anthropic, Mistral, Cohere, the AI SDK
  output_text: "text", // OpenAI's Responses
  refusal: "refusal", // OpenAI
  thinking: "hidden", // Anthropic, Mistral, Cohere
  reasoning: "hidden", // the AI SDK
  reasoning_text: "hidden", // OpenAI's Responses
  summary_text: "hidden", // OpenAI's Responses
};

/** Fields in which a part has its text, by the servers that are listed above. */
const textFields = ["text", "thinking", "reasoning", "summary", "refusal", "content", "value"] as const;

/** Reads content that is a text, parts, or an object with `parts` (Gemini). @returns null for anything else */
export function readContent(content: unknown): ReplyContent | null {
  const found = { text: "", hidden: "", refusal: "" };
  for (const part of [fieldsOf(content)?.["parts"] ?? content].flat()) {
    const { type = "text", thought } = fieldsOf(part) ?? {};
    const purpose = typeof type === "string" && Object.hasOwn(purposes, type) ? purposes[type] : undefined;
    if (purpose === undefined) continue;
    const text = textWithin(part);
    if (text === null) return null;
    found[thought === true ? "hidden" : purpose] += text; // Gemini marks its thoughts
  }
  return found;
}

/** The text of a value: a text, a part, or a list of them; empty for none. @returns null for anything else */
export function textWithin(value: unknown): string | null {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  if (Array.isArray(value)) {
    const texts = value.map((each) => textWithin(each));
    return texts.includes(null) ? null : texts.join("");
  }
  const fields = fieldsOf(value);
  const inner = fields && (textFields.map((field) => fields[field]).find((each) => (each ?? null) !== null) ?? null);
  // An encrypted part has a type and no text.
  if (!fields || (inner === null && typeof fields["type"] !== "string")) return null;
  return textWithin(inner);
}
