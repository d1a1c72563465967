import type { ChatMessage, ToolDefinition, ToolFormat, ToolMessage, WrittenCall } from "@laconic/core";
import { JsonText, tryParseJson, writeJson } from "@laconic/core/json";
import { callsAt, readCalls, withSystemText, type CallBlock } from "./read-calls.ts";

/**
 * Tool format of Hermes and Qwen2.5.
 * @param options - `tells`: list the tools in the system message
 */
export function hermesTools({ tells = true }: { readonly tells?: boolean } = {}): ToolFormat {
  return {
    name: "hermes",
    write: (messages, tools) => plain(tells && tools.length > 0 ? withList(messages, tools) : messages),
    read: (text) => readCalls(text, blocksIn),
  };
}

/** Separators of Python's `json.dumps`. */
const asPython = [", ", ": "] as const;
const [opening, closing] = ["<tool_call>", "</tool_call>"];

/** An opening tag without calls and a closing tag is a malformed call. */
function blocksIn(text: string): CallBlock[] {
  const blocks: CallBlock[] = [];
  for (let start = text.indexOf(opening); start >= 0;) {
    const inside = start + opening.length;
    const { calls, end } = callsAt(text, inside);
    const isCall = calls.length > 0 && text.startsWith(closing, end);
    const next = text.indexOf(opening, isCall ? end : inside);
    blocks.push({ start, end: isCall ? end + closing.length : inside, calls: isCall ? calls : [] });
    start = next;
  }
  return blocks;
}

function withList(messages: readonly ToolMessage[], tools: readonly ToolDefinition[]): ToolMessage[] {
  const list = tools.map((tool) => writeJson({ type: "function", function: tool }, asPython)).join("\n");
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
  return withSystemText(messages, toolPrompt);
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

function callText({ name, arguments: input }: WrittenCall): string {
  return `<tool_call>\n${writeJson({ name, arguments: isJson(input) ? new JsonText(input) : input }, asPython)}\n</tool_call>`;
}

function isJson(text: string): boolean {
  return tryParseJson(text) !== undefined;
}
