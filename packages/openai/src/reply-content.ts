import { fieldsOf } from "./reply-fields.ts";

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
