import { isRecord, type ChatMessage, type ReadCalls, type ToolMessage, type WrittenCall } from "@laconic/core";
import { exactJson, jsonEnd, JsonText, writeJson } from "@laconic/core/json";
import { replyParts } from "@laconic/core/text";

/** Empty for a malformed call. */
export interface CallBlock {
  readonly start: number;
  readonly end: number;
  readonly calls: readonly WrittenCall[];
}

/** Reads calls outside thoughts. */
export function readCalls(text: string, blocksIn: (part: string) => readonly CallBlock[]): ReadCalls {
  const calls: WrittenCall[] = [];
  let malformed = 0;
  let content = "";
  let position = 0;
  for (const {
    text: { length },
    isThought,
  } of replyParts(withoutBlocks(text, blocksIn(text)))) {
    const part = text.slice(position, (position += length));
    let rest = 0;
    for (const block of isThought ? [] : blocksIn(part)) {
      if (block.calls.length === 0) {
        malformed += 1;
        continue;
      }
      calls.push(...block.calls);
      content += part.slice(rest, block.start);
      rest = block.end;
    }
    content += part.slice(rest);
  }
  return { content: calls.length === 0 ? text : content.trim(), calls, ...(malformed > 0 && { malformed }) };
}

/** Masks calls, because arguments may contain thought tags. */
function withoutBlocks(text: string, blocks: readonly CallBlock[]): string {
  let masked = "";
  for (const { start, end, calls } of blocks)
    if (calls.length > 0) masked += text.slice(masked.length, start) + " ".repeat(end - start);
  return masked + text.slice(masked.length);
}

/** Separators of calls; Llama models write `;`. */
const gap = /[\s;,]*/y;

/** Calls and their end from `start`; none if one is invalid. */
export function callsAt(text: string, start: number): Pick<CallBlock, "calls" | "end"> {
  const calls: WrittenCall[] = [];
  const none = { calls: [], end: start };
  for (let position = start; ;) {
    gap.lastIndex = position;
    gap.test(text);
    position = gap.lastIndex;
    if (text[position] !== "{" && text[position] !== "[") return { calls, end: position };
    const end = jsonEnd(text, position);
    if (end < 0) return none;
    const read = callsIn(text.slice(position, end));
    if (read === null) return none;
    calls.push(...read);
    position = end;
  }
}

function callsIn(json: string): WrittenCall[] | null {
  try {
    const value = exactJson(json, { keep: () => ["arguments", "parameters"] });
    const calls = (Array.isArray(value) ? value : [value]).map(callOf);
    return calls.every((call) => call !== null) ? calls : null;
  } catch {
    return null;
  }
}

/** @returns null unless the name is a string and the arguments are an object or its JSON */
function callOf(value: unknown): WrittenCall | null {
  if (!isRecord(value) || typeof value["name"] !== "string") return null;
  const { name, arguments: written = value["parameters"] } = value;
  const source = written instanceof JsonText ? written : new JsonText("{}");
  const { text } = typeof source.toJSON() === "string" ? new JsonText(source.toJSON() as string) : source;
  const input = text === "null" ? "{}" : text;
  return isRecord(exactJson(input)) ? { name, arguments: writeJson(new JsonText(input)) } : null;
}

export function withSystemText<M extends ToolMessage>(messages: readonly M[], text: string): (M | ChatMessage)[] {
  const [first, ...rest] = messages;
  if (first?.role !== "system") return [{ role: "system", content: text }, ...messages];
  return [{ role: "system", content: `${first.content}\n\n${text}` }, ...rest];
}
