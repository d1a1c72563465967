import { isRecord, type UnknownRecord } from "@laconic/core";
import { JsonText, writeJson } from "@laconic/core/json";
import { z } from "zod";
import { invalid, type HttpError } from "../http.ts";
import { parse, withoutNulls } from "../jobs.ts";
import { surfaceShape } from "../schemas.ts";
import { MessageWriter, messageOf } from "./messages-reply.ts";
import { readList, readText, readTyped, type ChatTurn } from "./read-parts.ts";
import type { Surface } from "./surface.ts";

/** What a request of Anthropic's Messages interface says, as far as it is taken here. */
interface MessagesBody {
  readonly max_tokens: number;
  readonly system?: unknown;
  readonly messages: unknown;
  readonly stop_sequences?: readonly string[] | undefined;
  readonly tools?: readonly InputTool[] | undefined;
  readonly tool_choice?: { readonly type: string; readonly name?: string | undefined } | undefined;
  readonly metadata?: Readonly<Record<string, string | null>> | undefined;
  readonly output_config?: { readonly format?: OutputFormat | null | undefined } | undefined;
}

interface OutputFormat {
  readonly type: "json_schema";
  readonly schema: Readonly<Record<string, unknown>>;
}

interface InputTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly input_schema: Readonly<Record<string, unknown>>;
  readonly strict?: boolean | undefined;
}

/** Prefixes are cached anyway. */
const cached = { cache_control: z.unknown().optional() };

const inputTool = z.strictObject({
  ...cached,
  type: z.literal("custom", { error: "only custom tools are taken: others run at their provider" }).nullish(),
  name: z.string().min(1).max(256),
  description: z.string().optional(),
  input_schema: z.record(z.string(), z.unknown()),
  strict: z.boolean().optional(),
  // Calls are told when they are whole.
  eager_input_streaming: z.boolean().optional(),
});

const { user: _inMetadata, ...shape } = surfaceShape;

const bodySchema = z.strictObject({
  ...shape,
  max_tokens: z.int().min(1),
  system: z.unknown().optional(),
  messages: z.unknown(),
  stop_sequences: z.array(z.string()).max(16).optional(),
  tools: z.array(inputTool).max(128).optional(),
  tool_choice: z
    .strictObject({
      type: z.enum(["auto", "none", "any", "tool"]),
      name: z.string().optional(),
      // The model does as it does.
      disable_parallel_tool_use: z.boolean().optional(),
    })
    .optional(),
  metadata: z.record(z.string().max(64), z.string().max(512).nullable()).optional(),
  output_config: z
    .strictObject({
      format: z.strictObject({ type: z.literal("json_schema"), schema: z.record(z.string(), z.unknown()) }).nullish(),
    })
    .optional(),
  // Clients send these at the value that asks for nothing.
  service_tier: z.enum(["auto", "standard_only"]).optional(),
  thinking: z.looseObject({ type: z.literal("disabled", { error: "models here do not think apart" }) }).optional(),
});

const textBlock = z.object({ type: z.literal("text"), text: z.string() });
const texts = { text: textBlock.transform(({ text }) => text) };

type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: JsonText }
  | { readonly type: "tool_result"; readonly tool_use_id: string; readonly content?: unknown };

const callId = z.string().min(1).max(256);

/** Earlier replies come back with what clients made of them: no more is read than this. */
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
      input: z.instanceof(JsonText, { error: "it must be a group of settings" }),
    }),
  },
};

const messageSchema = z.strictObject({
  role: z.enum(["user", "assistant"]),
  content: z.unknown(),
  /** Whose private view it is, for a team. */
  name: z.string().min(1).optional(),
});

/** Results stand before what the user says beside them, as chats have it. */
function turnsOf(value: unknown, place: string): ChatTurn[] {
  const { role, content, name } = parse(messageSchema, value, place);
  const named = name === undefined ? {} : { name };
  if (typeof content === "string") return [{ role, content, ...named }];
  const at = `${place}.content`;
  const said: string[] = [];
  const calls: NonNullable<ChatTurn["tool_calls"]>[number][] = [];
  const results: ChatTurn[] = [];
  readList(content, at, (each, where) => {
    const block = readTyped(blocks[role], each, where);
    if (block.type === "text") said.push(block.text);
    else if (block.type === "tool_use") {
      const { id, name: called, input } = block;
      calls.push({ id, type: "function", function: { name: called, arguments: writeJson(input) } });
    } else {
      const text = block.content == null ? "" : readText(block.content, `${where}.content`, texts);
      results.push({ role: "tool", tool_call_id: block.tool_use_id, content: text });
    }
  });
  if (said.length === 0 && results.length > 0) return results;
  const turn = { role, content: said.join(""), ...named, ...(calls.length > 0 && { tool_calls: calls }) };
  return [...results, turn];
}

/** As chats say it. */
function choiceOf({ type, name }: NonNullable<MessagesBody["tool_choice"]>): unknown {
  if (type === "tool") return { type: "function", function: { name } };
  return type === "any" ? "required" : type;
}

const passed = new Set(Object.keys(shape));

function chatOf(body: MessagesBody): Record<string, unknown> {
  const { system, messages, stop_sequences: stop, tools = [], tool_choice: choice, metadata = {} } = body;
  const format = body.output_config?.format;
  const turns = readList(messages, "messages", turnsOf).flat();
  if (turns.at(-1)?.role === "assistant")
    throw invalid("messages: the last is the assistant's; a reply that was begun is not continued", "messages");
  const { user_id: user, ...rest } = metadata;
  return {
    ...Object.fromEntries(Object.entries(body).filter(([key]) => passed.has(key))),
    max_tokens: body.max_tokens,
    ...(stop && stop.length > 0 && { stop }),
    ...(user != null && { user }),
    ...(format && { response_format: { type: format.type, json_schema: { schema: format.schema } } }),
    ...(Object.keys(rest).length > 0 && { metadata: rest }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, input_schema: parameters, strict }) => ({
        type: "function",
        function: { name, ...(description !== undefined && { description }), parameters, ...(strict && { strict }) },
      })),
      ...(choice && { tool_choice: choiceOf(choice) }),
    }),
    messages: [
      ...(system === undefined ? [] : [{ role: "system", content: readText(system, "system", texts) }]),
      ...turns,
    ],
  };
}

/** Anthropic's names of the statuses that are used here; others are the request's fault. */
const kinds: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  503: "overloaded_error",
};

/** Anthropic's own fields, and our `code` and place. */
function errorOf({ status, message, parameter, code }: HttpError): unknown {
  return {
    type: "error",
    error: { type: kinds[status] ?? "invalid_request_error", message, param: parameter, code },
  };
}

/** `POST /v1/messages`, as Anthropic's clients know it. */
export const messagesSurface: Surface = {
  read(json) {
    const body: MessagesBody = parse(bodySchema, withoutNulls(json));
    return { chat: chatOf(body), whole: messageOf, writer: (send) => new MessageWriter(send) };
  },
  keep: ({ type, input }: UnknownRecord) => (type === "tool_use" && isRecord(input) ? ["input"] : []),
  errorOf,
};
