import { isRecord, type UnknownRecord } from "@laconic/core";
import { tryParseJson } from "@laconic/core/json";

/** Text of a prompt by role; `tool` is a tool's result. */
export interface PromptPart {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly text: string;
}

/** Fields of a request that the meter uses. */
export interface ReadRequest {
  readonly body: UnknownRecord;
  readonly model: string;
  readonly parts: readonly PromptPart[];
  /** `metadata` of the request: OpenAI's and Anthropic's field for applications. */
  readonly metadata: UnknownRecord;
  /** Earlier response that the server holds as context; null without one. */
  readonly previous: string | null;
}

const callPaths =
  /\/(?:chat\/completions|completions|responses|messages|embeddings|api\/chat|api\/generate|[^/]+:(?:stream)?generateContent)$/iu;

/** Whether a path is a call of a model; other paths pass without a record. */
export function isModelCall(method: string | undefined, path: string): boolean {
  return method === "POST" && callPaths.test(path);
}

const roles: Readonly<Record<string, PromptPart["role"]>> = {
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
  model: "assistant", // Gemini
  tool: "tool",
  function: "tool",
  tool_result: "tool", // Anthropic's block
  function_call_output: "tool", // OpenAI's Responses
  function_call: "assistant",
  reasoning: "assistant",
};

/** Reads a request of OpenAI, Anthropic, Gemini or Ollama; null if it is not a JSON object. */
export function readRequest(body: string, path: string): ReadRequest | null {
  const request = tryParseJson(body);
  if (!isRecord(request)) return null;
  const { model, metadata, previous_response_id: previous } = request;
  const system = [request["system"], request["instructions"], request["systemInstruction"]].map(textsWithin);
  const entries = [request["messages"] ?? request["input"] ?? request["contents"] ?? request["prompt"] ?? []].flat();
  return {
    body: request,
    model: typeof model === "string" ? model : (/([^/]+):(?:stream)?generateContent$/iu.exec(path)?.[1] ?? ""),
    parts: [
      ...system.map((text) => ({ role: "system", text }) as const),
      ...entries.flatMap((entry) => partsOf(entry, "user")),
    ].filter(({ text }) => text !== ""),
    metadata: isRecord(metadata) ? metadata : {},
    previous: typeof previous === "string" ? previous : null,
  };
}

/** Anthropic sends tool results as blocks of a user's message. */
function partsOf(entry: unknown, outer: PromptPart["role"]): readonly PromptPart[] {
  if (!isRecord(entry)) return [{ role: outer, text: textsWithin(entry) }];
  const names = [entry["role"], entry["type"]].filter((name) => typeof name === "string");
  const role = names.map((name) => (Object.hasOwn(roles, name) ? roles[name] : undefined)).find(Boolean) ?? outer;
  const { content } = entry;
  if (!Array.isArray(content) || names.includes("tool_result")) return [{ role, text: textsWithin(entry) }];
  return content.flatMap((block) => partsOf(block, role));
}

/** Keys that hold text, in requests and replies. */
const textKeys = ["text", "content", "parts", "output", "arguments", "function", "tool_calls", "input", "thinking"];

/** All texts of a value, in order. Images and other data have none. */
export function textsWithin(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textsWithin).filter(Boolean).join("\n");
  if (!isRecord(value)) return "";
  // A call's input is an object in Anthropic's format, a text in others.
  if (value["type"] === "tool_use") return JSON.stringify(value["input"] ?? {});
  return textKeys
    .map((key) => textsWithin(value[key]))
    .filter(Boolean)
    .join("\n");
}
