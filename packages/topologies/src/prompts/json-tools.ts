import type { ChatMessage, ToolDefinition, ToolFormat, ToolMessage, WrittenCall } from "@laconic/core";
import { callIn } from "./hermes-tools.ts";

const ownLine = 'To call a tool, write a line of its own: {"name": NAME, "arguments": OBJECT}. The answer follows.';

/**
 * A call is a line of JSON, for small models that were taught no other form: `{"name": "add", "arguments": {"a": 1}}`. Answers
 * are messages of the user.
 */
export function jsonTools({ tells = true }: { readonly tells?: boolean } = {}): ToolFormat {
  return {
    name: "json-lines",
    write(messages, tools) {
      const chat = messages.map((message) => plain(message, "arguments", "user"));
      if (!tells || tools.length === 0) return chat;
      const told = `${ownLine} Tools:\n${tools.map((each) => JSON.stringify(each)).join("\n")}`;
      const [first, ...rest] = chat;
      if (first?.role !== "system") return [{ role: "system", content: told }, ...chat];
      return [{ role: "system", content: `${first.content}\n\n${told}` }, ...rest];
    },
    read(text) {
      const calls: WrittenCall[] = [];
      const others = text.split("\n").filter((line) => {
        const trimmed = line.trim();
        const call = trimmed.startsWith("{") && trimmed.endsWith("}") ? callIn(trimmed) : null;
        if (call) calls.push(call);
        return call === null;
      });
      return { content: calls.length === 0 ? text : others.join("\n").trim(), calls };
    },
  };
}

/**
 * Calls as Llama 3.1 to 3.3 were taught: a reply that is one JSON object with name and parameters. Answers have the role `tool`,
 * which their template writes as `ipython`.
 */
export function llamaTools({ tells = true }: { readonly tells?: boolean } = {}): ToolFormat {
  return {
    name: "llama3-json",
    write(messages, tools) {
      const chat = messages.map((message) => plain(message, "parameters", "tool"));
      const at = chat.findIndex(({ role }) => role === "user");
      if (!tells || tools.length === 0 || at < 0) return chat;
      const { content } = chat[at] as ChatMessage;
      return chat.with(at, { role: "user", content: `${llamaList(tools)}${content}` });
    },
    read(text) {
      const call = callIn(text.trim(), "parameters");
      return call ? { content: "", calls: [call] } : { content: text, calls: [] };
    },
  };
}

function llamaList(tools: readonly ToolDefinition[]): string {
  const list = tools.map((each) => `${JSON.stringify({ type: "function", function: each }, null, 4)}\n\n`).join("");
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
