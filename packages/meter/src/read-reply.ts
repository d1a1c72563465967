import { isRecord, present, type UnknownRecord } from "@laconic/core";
import { tryParseJson } from "@laconic/core/json";
import type { TokenCounts } from "@laconic/core/ledger";
import { readUsage } from "@laconic/openai";
import { textsWithin } from "./read-request.ts";

/** Fields of a reply that the meter uses. */
export interface ReadReply {
  /** Empty if the reply has none. */
  readonly model: string;
  /** Response id, to which later requests can refer; empty without one. */
  readonly id: string;
  readonly text: string;
  readonly toolCalls: number;
  /** Null if the server reports no counts. */
  readonly usage: TokenCounts | null;
}

/**
 * Reads a reply: one JSON object, server-sent events, or JSON lines (Ollama). Events are joined: texts in order, the
 * last value of every count.
 */
export function readReply(body: string): ReadReply {
  const whole = /^\s*[[{]/u.test(body) ? tryParseJson(body) : undefined;
  const events = whole === undefined ? eventsIn(body) : [whole].flat().filter(isRecord);
  const reply = { model: "", id: "", text: "", toolCalls: 0 };
  const usage: Record<string, unknown> = {};
  for (const event of events) {
    const inner = [event, event["response"], event["message"]].filter(isRecord);
    for (const { model, id, modelVersion } of inner) {
      const name = model ?? modelVersion;
      if (typeof name === "string") reply.model = name;
      if (typeof id === "string" && reply.id === "") reply.id = id;
    }
    for (const fields of inner) collectUsage(fields, usage);
    // The last event of OpenAI's Responses repeats all texts.
    const { text, toolCalls } = writtenIn(isRecord(event["response"]) ? event["response"] : event);
    if (isRecord(event["response"])) [reply.text, reply.toolCalls] = [text || reply.text, toolCalls || reply.toolCalls];
    else [reply.text, reply.toolCalls] = [reply.text + text, reply.toolCalls + toolCalls];
  }
  const { agrees, ...counts } = readUsage(usage);
  return { ...reply, usage: agrees || counts.promptTokens + counts.completionTokens > 0 ? counts : null };
}

/** Server-sent events, or JSON lines. */
function eventsIn(body: string): readonly UnknownRecord[] {
  return body
    .split(/\r\n|[\n\r]/u)
    .map((line) => line.replace(/^data:/u, "").trim())
    .filter((line) => line.startsWith("{"))
    .map((line) => tryParseJson(line))
    .filter(isRecord);
}

/** Anthropic sends counts of the prompt first and of the completion last; others send all at the end. */
function collectUsage(fields: UnknownRecord, usage: Record<string, unknown>): void {
  for (const key of ["usage", "usageMetadata", "timings"]) {
    const counts = fields[key];
    if (isRecord(counts)) usage[key] = { ...(isRecord(usage[key]) ? usage[key] : {}), ...present(counts) };
  }
  for (const key of ["prompt_eval_count", "eval_count"]) if (fields[key] !== undefined) usage[key] = fields[key];
}

/** Text and tool calls of a reply, or of one event. */
function writtenIn(event: UnknownRecord): { readonly text: string; readonly toolCalls: number } {
  const { choices, candidates, content, output, message, delta, type, response, content_block: block } = event;
  const first = [choices, candidates].find(Array.isArray)?.[0] as unknown;
  const choice = isRecord(first) ? (first["message"] ?? first["delta"] ?? first["content"] ?? first["text"]) : null;
  // Deltas of reasoning and of tool arguments are texts too; events that end a text repeat it.
  const isDelta = typeof type !== "string" || type.includes("delta");
  const written = [choice, content, output, isDelta && delta, isRecord(message) && message["content"], response];
  const calls = [choice, content, output, block].flatMap(callsIn).length;
  return { text: written.map((value) => deltaText(value)).join(""), toolCalls: calls };
}

function deltaText(value: unknown): string {
  if (!isRecord(value)) return textsWithin(value);
  const { text, partial_json: json, reasoning_content: hidden } = value;
  const parts = [hidden, text ?? json ?? textsWithin(value)];
  return parts.filter((part) => typeof part === "string").join("");
}

/** Tool calls in a message, or in content blocks. Later deltas of a call have no name. */
function callsIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(callsIn);
  if (!isRecord(value)) return [];
  const { type, tool_calls: calls, parts } = value;
  if (type === "tool_use" || type === "function_call" || isRecord(value["functionCall"])) return [value];
  const named = [calls ?? []]
    .flat()
    .filter((call) => isRecord(call) && isRecord(call["function"]) && call["function"]["name"]);
  return [...named, ...callsIn(parts)];
}
