import { isRecord, type UnknownRecord } from "@laconic/core";
import { boundedJson, JsonText, writeJson } from "@laconic/core/json";
import { z } from "zod";
import type { WireReason } from "../forms.ts";
import { invalid, type HttpError } from "../http.ts";
import { parse, withoutNulls } from "../parse.ts";
import { surfaceShape, type WireCall } from "../schemas.ts";
import { readList, readText, readTyped } from "./surface.ts";
import type { ChatTurn, ChatAnswer, ChatHead, EventWriter, Surface } from "./surface.ts";

const inputTool = z.strictObject({
  // Ignored: prefixes are always cached.
  cache_control: z.unknown().optional(),
  type: z.literal("custom", { error: "expected custom; other tools run at their provider" }).nullish(),
  name: z.string().min(1).max(256),
  description: z.string().optional(),
  input_schema: z.record(z.string(), z.unknown()),
  // Ignored: calls arrive whole, as the model writes them.
  strict: z.boolean().optional(),
  eager_input_streaming: z.boolean().optional(),
});

const { user: _inMetadata, ...passedShape } = surfaceShape;
const passed = new Set(Object.keys(passedShape));

const bodySchema = z.strictObject({
  ...passedShape,
  max_tokens: z.int().min(1),
  system: z.unknown().optional(),
  messages: z.unknown(),
  stop_sequences: z.array(z.string()).max(16).optional(),
  tools: z.array(inputTool).max(128).optional(),
  tool_choice: z
    .strictObject({
      type: z.enum(["auto", "none", "any", "tool"]),
      name: z.string().optional(),
      // Ignored: the model decides.
      disable_parallel_tool_use: z.boolean().optional(),
    })
    .optional(),
  metadata: z.record(z.string().max(64), z.string().max(512).nullable()).optional(),
  // Clients send these with a value that has no effect.
  service_tier: z.enum(["auto", "standard_only"]).optional(),
  thinking: z
    .looseObject({ type: z.literal("disabled", { error: "expected disabled; separate thinking is not supported" }) })
    .optional(),
});

const textBlock = z.object({ type: z.literal("text"), text: z.string() });
const texts = { text: textBlock.transform(({ text }) => text) };
const callId = z.string().min(1).max(256);

type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: JsonText }
  | { readonly type: "tool_result"; readonly tool_use_id: string; readonly content?: unknown };

/** Earlier replies come back with client fields; only these are read. */
const blocks: Readonly<Record<"user" | "assistant", Readonly<Record<string, z.ZodType<Block>>>>> = {
  user: {
    text: textBlock,
    tool_result: z.object({ type: z.literal("tool_result"), tool_use_id: callId, content: z.unknown().optional() }),
  },
  assistant: {
    text: textBlock,
    tool_use: z.object({
      type: z.literal("tool_use"),
      id: callId,
      name: z.string().max(256),
      input: z.instanceof(JsonText, { error: "expected an object" }),
    }),
  },
};

const messageSchema = z.strictObject({
  role: z.enum(["user", "assistant"]),
  content: z.unknown(),
  /** Agent whose private view this is. */
  name: z.string().min(1).optional(),
});

/** Tool results come before the user's text, as in chats. */
function turnsOf(value: unknown, location: string): ChatTurn[] {
  const { role, content, name } = parse(messageSchema, value, location);
  const named = name === undefined ? {} : { name };
  if (typeof content === "string") return [{ role, content, ...named }];
  const replies: string[] = [];
  const calls: NonNullable<ChatTurn["tool_calls"]>[number][] = [];
  const results: ChatTurn[] = [];
  readList(content, `${location}.content`, (part, where) => {
    const block = readTyped(blocks[role], part, where);
    if (block.type === "text") replies.push(block.text);
    else if (block.type === "tool_use") {
      const { id, name: called, input } = block;
      calls.push({ id, type: "function", function: { name: called, arguments: writeJson(input) } });
    } else {
      const text = block.content == null ? "" : readText(block.content, `${where}.content`, texts);
      results.push({ role: "tool", tool_call_id: block.tool_use_id, content: text });
    }
  });
  if (replies.length === 0 && results.length > 0) return results;
  const turn = { role, content: replies.join(""), ...named, ...(calls.length > 0 && { tool_calls: calls }) };
  return [...results, turn];
}

function chatOf(body: z.output<typeof bodySchema>): Record<string, unknown> {
  const { system, messages, stop_sequences: stop, tools = [], tool_choice: choice, metadata = {} } = body;
  const turns = readList(messages, "messages", turnsOf).flat();
  if (turns.at(-1)?.role === "assistant")
    throw invalid("messages: expected a user message last; replies are not continued", "messages");
  const { user_id: user, ...rest } = metadata;
  return {
    ...Object.fromEntries(Object.entries(body).filter(([key]) => passed.has(key))),
    max_tokens: body.max_tokens,
    ...(stop && stop.length > 0 && { stop }),
    ...(user != null && { user }),
    ...(Object.keys(rest).length > 0 && { metadata: rest }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, input_schema: parameters }) => ({
        type: "function",
        function: { name, ...(description !== undefined && { description }), parameters },
      })),
      ...(choice && { tool_choice: choiceOf(choice) }),
    }),
    messages: [
      ...(system === undefined ? [] : [{ role: "system", content: readText(system, "system", texts) }]),
      ...turns,
    ],
  };
}

function choiceOf({ type, name }: NonNullable<z.output<typeof bodySchema>["tool_choice"]>): unknown {
  if (type === "tool") return { type: "function", function: { name } };
  return type === "any" ? "required" : type;
}

const stopReasons: Readonly<Record<NonNullable<WireReason>, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  content_filter: "refusal",
};

function useOf({ id, function: { name, arguments: json } }: WireCall): object {
  boundedJson(json);
  return { type: "tool_use", id, name, input: new JsonText(json) };
}

/** Anthropic's input tokens exclude cache reads and writes. */
function usageOf({ usage }: ChatAnswer): object {
  const { cached_tokens: cached = 0, cache_write_tokens: written = 0 } = usage.prompt_tokens_details ?? {};
  return {
    input_tokens: usage.prompt_tokens - cached - written,
    ...(usage.prompt_tokens_details && { cache_read_input_tokens: cached, cache_creation_input_tokens: written }),
    output_tokens: usage.completion_tokens,
    ...(usage.laconic !== undefined && { laconic: usage.laconic }),
  };
}

function headOf({ id, model, system_fingerprint: weights }: ChatHead): object {
  return {
    id: id.replace(/^chatcmpl-/u, "msg_"),
    type: "message",
    role: "assistant",
    model,
    ...(weights !== undefined && { system_fingerprint: weights }),
  };
}

function endOf({ choices: [choice] }: ChatAnswer): object {
  const text = choice?.stop_reason ?? null;
  const reason = choice?.finish_reason ? stopReasons[choice.finish_reason] : null;
  return { stop_reason: text !== null && reason === "end_turn" ? "stop_sequence" : reason, stop_sequence: text };
}

function laconicOf({ choices: [choice] }: ChatAnswer): object {
  return choice?.laconic === undefined ? {} : { laconic: choice.laconic };
}

/** Input of calls stays as the model wrote it. */
function messageOf(answer: ChatAnswer): JsonText {
  const { content, tool_calls: calls = [] } = answer.choices[0]?.message ?? { content: "" };
  const message = {
    ...headOf(answer),
    content: [...(content ? [{ type: "text", text: content }] : []), ...calls.map(useOf)],
    ...endOf(answer),
    usage: usageOf(answer),
    ...laconicOf(answer),
  };
  return new JsonText(writeJson(message));
}

/** Writes events in Anthropic's order: a block ends before the next starts. */
class MessageWriter implements EventWriter {
  readonly #send: (event: unknown) => void;
  #inText = false;
  #ended = 0;

  constructor(send: (event: unknown) => void) {
    this.#send = send;
  }

  begin(head: ChatHead): void {
    // The prompt's token count is known at the end.
    const usage = { input_tokens: 0, output_tokens: 0 };
    const message = { ...headOf(head), content: [], stop_reason: null, stop_sequence: null, usage };
    this.#send({ type: "message_start", message });
  }

  text(text: string): void {
    if (!this.#inText) this.#beginBlock({ type: "text", text: "" });
    this.#inText = true;
    this.#delta({ type: "text_delta", text });
  }

  call(call: WireCall): void {
    if (this.#inText) this.#endBlock();
    this.#beginBlock({ ...useOf(call), input: {} });
    this.#delta({ type: "input_json_delta", partial_json: call.function.arguments });
    this.#endBlock();
  }

  end(answer: ChatAnswer): void {
    if (this.#inText) this.#endBlock();
    this.#send({ type: "message_delta", delta: endOf(answer), usage: usageOf(answer), ...laconicOf(answer) });
    this.#send({ type: "message_stop" });
  }

  #beginBlock(block: object): void {
    this.#send({ type: "content_block_start", index: this.#ended, content_block: block });
  }

  #delta(delta: object): void {
    this.#send({ type: "content_block_delta", index: this.#ended, delta });
  }

  #endBlock(): void {
    this.#send({ type: "content_block_stop", index: this.#ended });
    this.#inText = false;
    this.#ended += 1;
  }
}

/** Anthropic's error types by status; others are invalid requests. */
const kinds: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  503: "overloaded_error",
};

/** `POST /v1/messages` for Anthropic's clients. */
export const messagesSurface: Surface = {
  read: (json) => ({
    chat: chatOf(parse(bodySchema, withoutNulls(json))),
    whole: messageOf,
    writer: (send) => new MessageWriter(send),
  }),
  keep: ({ type, input }: UnknownRecord) => (type === "tool_use" && isRecord(input) ? ["input"] : []),
  errorOf: ({ status, message, parameter, code }: HttpError) => ({
    type: "error",
    error: { type: kinds[status] ?? "invalid_request_error", message, param: parameter, code },
  }),
};
