import type { ChatMessage } from "@laconic/core";

/** A tool as a request describes it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema. */
  readonly parameters?: unknown;
}

/** A call as a model writes it. */
export interface WrittenCall {
  readonly name: string;
  /** A JSON object. */
  readonly arguments: string;
}

/** A chat message that may call tools or answer a call. */
export type ToolMessage =
  | ChatMessage
  | { readonly role: "assistant"; readonly content: string; readonly calls: readonly WrittenCall[] }
  | { readonly role: "tool"; readonly content: string };

/** How a model was taught to call tools: chats with them as chats of plain text, and calls found in what it writes. */
export interface ToolFormat {
  readonly name: string;
  /** @param tools - to tell the model of; empty tells it nothing */
  write(messages: readonly ToolMessage[], tools: readonly ToolDefinition[]): ChatMessage[];
  /** Text that is no call as the format has it stays content. */
  read(text: string): { readonly content: string; readonly calls: readonly WrittenCall[] };
}
