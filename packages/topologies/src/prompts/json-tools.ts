import type { ChatMessage, ToolDefinition, ToolFormat, ToolMessage } from "@laconic/core";
import { callsAt, readCalls, withSystemText, type CallBlock } from "./read-calls.ts";

const ownLine = 'To call a tool, write a line of its own: {"name": NAME, "arguments": OBJECT}. The answer follows.';

/** Calls are JSON lines, for small models. */
export function jsonTools({ tells = true }: { readonly tells?: boolean } = {}): ToolFormat {
  return {
    name: "json-lines",
    write(messages, tools) {
      const chat = messages.map((message) => plain(message, "arguments", "user"));
      if (!tells || tools.length === 0) return chat;
      const told = `${ownLine} Tools:\n${tools.map((tool) => JSON.stringify(tool)).join("\n")}`;
      return withSystemText(chat, told);
    },
    read: (text) => readCalls(text, lineBlocks),
  };
}

/** Tool format of Llama 3.1 to 3.3: one JSON object with name and parameters. */
export function llamaTools({ tells = true }: { readonly tells?: boolean } = {}): ToolFormat {
  return {
    name: "llama3-json",
    write(messages, tools) {
      const chat = messages.map((message) => plain(message, "parameters", "tool"));
      const index = chat.findIndex(({ role }) => role === "user");
      if (!tells || tools.length === 0 || index < 0) return chat;
      const { content } = chat[index]!;
      return chat.with(index, { role: "user", content: `${llamaList(tools)}${content}` });
    },
    read: (text) => readCalls(text, wholeBlocks),
  };
}

/** JSON that begins with a name counts as a call. */
const beginsCall = /^\s*(?:<\|python_tag\|>)?[\s[]*\{\s*"name"\s*:/u;

function lineBlocks(text: string): CallBlock[] {
  const blocks: CallBlock[] = [];
  let start = 0;
  for (const line of text.split("\n")) {
    const end = start + line.length;
    blocks.push(...blockOf(line).map(({ calls }) => ({ start, end: Math.min(end + 1, text.length), calls })));
    start = end + 1;
  }
  return blocks;
}

function wholeBlocks(text: string): CallBlock[] {
  return blockOf(text, /^\s*<\|python_tag\|>/u.exec(text)?.[0].length);
}

function blockOf(text: string, start = 0): CallBlock[] {
  const { calls, end } = callsAt(text, start);
  const whole = { start: 0, end: text.length };
  if (calls.length > 0 && end === text.length) return [{ ...whole, calls }];
  return beginsCall.test(text) ? [{ ...whole, calls: [] }] : [];
}

function llamaList(tools: readonly ToolDefinition[]): string {
  const list = tools.map((tool) => `${JSON.stringify({ type: "function", function: tool }, null, 4)}\n\n`).join("");
  return `Given the following functions, please respond with a JSON for a function call with its proper arguments that best answers the given prompt.

Respond in the format {"name": function name, "parameters": dictionary of argument name and its value}.Do not use variables.

${list}`;
}

function plain(message: ToolMessage, key: string, answers: "user" | "tool"): ChatMessage {
  const { role, content } = message;
  if (role === "tool") return { role: answers, content };
  const calls =
    "calls" in message
      ? message.calls.map((call) => `{"name": ${JSON.stringify(call.name)}, "${key}": ${call.arguments}}`)
      : [];
  return { role, content: [...(content === "" ? [] : [content]), ...calls].join("\n") };
}
