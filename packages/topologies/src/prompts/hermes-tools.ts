import {
  boundedJson,
  isRecord,
  type ChatMessage,
  type ToolDefinition,
  type ToolFormat,
  type ToolMessage,
  type WrittenCall,
} from "@laconic/core";

/**
 * Calls between `<tool_call>` marks and answers between `<tool_response>` marks, as Hermes and Qwen models were taught.
 * Qwen2.5's template writes the same text.
 * @param options - `tells`: whether the system message lists the tools; a model that was trained with them needs no list
 */
export function hermesTools({ tells = true }: { readonly tells?: boolean } = {}): ToolFormat {
  return {
    name: "hermes",
    write: (messages, tools) => plain(tells && tools.length > 0 ? withList(messages, tools) : messages),
    read,
  };
}

const [opening, closing] = ["<tool_call>", "</tool_call>"];

/** In one pass: the text is a model's. */
function read(text: string): ReturnType<ToolFormat["read"]> {
  const calls: WrittenCall[] = [];
  let content = "";
  let at = 0;
  for (;;) {
    const start = text.indexOf(opening, at);
    const end = start < 0 ? -1 : text.indexOf(closing, start);
    if (end < 0) break;
    const call = callIn(text.slice(start + opening.length, end));
    content += call === null ? text.slice(at, end + closing.length) : text.slice(at, start);
    if (call !== null) calls.push(call);
    at = end + closing.length;
  }
  content += text.slice(at);
  return { content: calls.length === 0 ? text : content.trim(), calls };
}

/** Null for what is no call: its name a text, its arguments an object. */
export function callIn(json: string, argumentsKey: "arguments" | "parameters" = "arguments"): WrittenCall | null {
  try {
    const { name, [argumentsKey]: given = {} } = boundedJson(json) as Readonly<Record<string, unknown>>;
    if (typeof name !== "string" || !isRecord(given)) return null;
    return { name, arguments: JSON.stringify(given) };
  } catch {
    return null;
  }
}

function withList(messages: readonly ToolMessage[], tools: readonly ToolDefinition[]): ToolMessage[] {
  const list = tools.map((each) => spaced({ type: "function", function: each })).join("\n");
  const toolPrompt = `# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
${list}
</tools>

For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call>`;
  const [first, ...rest] = messages;
  if (first?.role !== "system") return [{ role: "system", content: toolPrompt }, ...messages];
  return [{ role: "system", content: `${first.content}\n\n${toolPrompt}` }, ...rest];
}

function plain(messages: readonly ToolMessage[]): ChatMessage[] {
  const written: ChatMessage[] = [];
  let answers: string[] = [];
  const answered = (): void => {
    if (answers.length > 0) written.push({ role: "user", content: answers.join("\n") });
    answers = [];
  };
  for (const message of messages) {
    if (message.role === "tool") {
      answers.push(`<tool_response>\n${message.content}\n</tool_response>`);
      continue;
    }
    answered();
    const { role, content } = message;
    const calls = "calls" in message ? message.calls.map(callText) : [];
    written.push({ role, content: [...(content === "" ? [] : [content]), ...calls].join("\n") });
  }
  answered();
  return written;
}

function callText({ name, arguments: given }: WrittenCall): string {
  let value: unknown = given;
  try {
    value = boundedJson(given);
  } catch {
    // Told as it stands.
  }
  return `<tool_call>\n${spaced({ name, arguments: value })}\n</tool_call>`;
}

/** JSON with a space behind commas and colons, as Python writes it. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}: ${spaced(each)}`).join(", ")}}`;
}
