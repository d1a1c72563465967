import { wordTable } from "@laconic/core/checks";
import { z } from "zod";
import { errorBody, invalid } from "../http.ts";
import { parse, withoutNulls } from "../jobs.ts";
import { idleShape, surfaceShape } from "../schemas.ts";
import { readList, readText, readTyped, type ChatTurn } from "./read-parts.ts";
import { responseOf, ResponseWriter, type RepeatedRequest, type TextFormat } from "./responses-reply.ts";
import type { Surface } from "./surface.ts";

interface ResponsesBody extends RepeatedRequest {
  readonly input: unknown;
}

const notStored = (what: string): string => `nothing is stored here: ${what}`;

const functionTool = z.strictObject({
  type: z.literal("function", { error: "only functions are taken: other tools run at their provider" }),
  name: z.string().min(1).max(256),
  description: z.string().nullish(),
  parameters: z.unknown().optional(),
  strict: z.boolean().nullish(),
});

const bodySchema = z.strictObject({
  ...surfaceShape,
  input: z.unknown(),
  instructions: z.string().optional(),
  max_output_tokens: z.int().min(1).optional(),
  tools: z.array(functionTool).max(128).optional(),
  tool_choice: z.unknown().optional(),
  parallel_tool_calls: z.boolean().optional(),
  metadata: z.record(z.string().max(64), z.string().max(512)).optional(),
  // Clients send these at the value that asks for nothing.
  previous_response_id: z.never({ error: notStored("send the whole input, earlier turns included") }).optional(),
  conversation: z.never({ error: notStored("send the whole input, earlier turns included") }).optional(),
  store: z.literal(false, { error: notStored("leave it out, or send false") }).optional(),
  background: z.literal(false, { error: notStored("ask for a stream") }).optional(),
  truncation: z.literal("disabled").optional(),
  // Of replies without it.
  include: z
    .array(z.literal("reasoning.encrypted_content", { error: "replies have no such thing to include" }))
    .optional(),
  reasoning: z.strictObject({ effort: z.literal("none").nullish(), summary: z.null().optional() }).optional(),
  // Of tools that run at their provider.
  max_tool_calls: z.int().min(1).optional(),
  prompt_cache_key: z.string().max(512).optional(),
  service_tier: idleShape.service_tier,
  safety_identifier: idleShape.safety_identifier,
  text: z
    .strictObject({ format: z.looseObject({ type: z.string() }).optional(), verbosity: idleShape.verbosity })
    .optional(),
  stream_options: z.strictObject({ include_obfuscation: z.literal(false).optional() }).optional(),
});

const part = (type: string): z.ZodType<string> =>
  z.looseObject({ type: z.literal(type), text: z.string() }).transform(({ text }) => text);
const texts = { input_text: part("input_text"), output_text: part("output_text") };

/** What an item adds to the chat; its content is read apart, to name the place of a part. */
type Item =
  | { readonly kind: "message"; readonly role: string; readonly content: unknown; readonly name?: string | undefined }
  | { readonly kind: "call"; readonly id: string; readonly name: string; readonly arguments: string }
  | { readonly kind: "output"; readonly id: string; readonly output: unknown };

const callId = z.string().min(1).max(256);

/** Earlier replies come back with ids, states and what clients made of them: no more is read than this. */
const items: Readonly<Record<string, z.ZodType<Item>>> = wordTable({
  message: z
    .object({
      type: z.literal("message").optional(),
      role: z.enum(["user", "assistant", "system", "developer"]),
      content: z.unknown(),
      name: z.string().min(1).optional(),
    })
    .transform(({ role, content, name }) => ({ kind: "message", role, content, name })),
  function_call: z
    .object({
      type: z.literal("function_call"),
      call_id: callId,
      name: z.string().max(256),
      arguments: z.string(),
    })
    .transform(({ call_id: id, name, arguments: given }) => ({ kind: "call", id, name, arguments: given })),
  function_call_output: z
    .object({ type: z.literal("function_call_output"), call_id: callId, output: z.unknown() })
    .transform(({ call_id: id, output }) => ({ kind: "output", id, output })),
});

/** As chats have it. */
const maxCalls = 128;

/** Calls join the assistant's message before them: one reply said and called. */
function turnsOf(input: unknown): ChatTurn[] {
  if (typeof input === "string") return [{ role: "user", content: input }];
  const turns: ChatTurn[] = [];
  readList(input, "input", (value, place) => {
    const item = readTyped(items, value, place, "message");
    if (item.kind === "call") {
      const { id, name, arguments: given } = item;
      const last = turns.at(-1)?.role === "assistant" ? turns.pop() : undefined;
      // Each is copied with those before it.
      if ((last?.tool_calls?.length ?? 0) >= maxCalls)
        throw invalid(`${place}: one reply has at most ${maxCalls} calls`, place);
      const call = { id, type: "function", function: { name, arguments: given } } as const;
      turns.push({ role: "assistant", content: "", ...last, tool_calls: [...(last?.tool_calls ?? []), call] });
    } else if (item.kind === "output")
      turns.push({ role: "tool", tool_call_id: item.id, content: readText(item.output, `${place}.output`, texts) });
    else {
      const { role, content, name } = item;
      turns.push({ role, content: readText(content, `${place}.content`, texts), ...(name !== undefined && { name }) });
    }
  });
  if (turns.length === 0) throw invalid("input: it is empty", "input");
  return turns;
}

const namedChoice = z.strictObject({ type: z.literal("function"), name: z.string() });

/** As chats say it. */
function choiceOf(choice: unknown): unknown {
  const named = namedChoice.safeParse(choice);
  return named.success ? { type: "function", function: { name: named.data.name } } : choice;
}

/** As chats say it. */
function formatOf({ type, ...schema }: TextFormat): object {
  return type === "json_schema" ? { type, json_schema: schema } : { type, ...schema };
}

/** What chats say in the same words. */
const passed = new Set([...Object.keys(surfaceShape), "metadata", "prompt_cache_key"]);

function chatOf(body: ResponsesBody): Record<string, unknown> {
  const { input, instructions, max_output_tokens: maxTokens, tools = [], tool_choice: choice, text } = body;
  return {
    ...Object.fromEntries(Object.entries(body).filter(([key]) => passed.has(key))),
    ...(text?.format && { response_format: formatOf(text.format) }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters, strict }) => ({
        type: "function",
        function: {
          name,
          ...(description && { description }),
          ...(parameters != null && { parameters }),
          ...(strict && { strict }),
        },
      })),
      ...(choice !== undefined && { tool_choice: choiceOf(choice) }),
    }),
    messages: [...(instructions === undefined ? [] : [{ role: "system", content: instructions }]), ...turnsOf(input)],
  };
}

/** `POST /v1/responses`, as OpenAI's clients know it: each request has its whole history. */
export const responsesSurface: Surface = {
  read(json) {
    const body: ResponsesBody = parse(bodySchema, withoutNulls(json));
    return {
      chat: chatOf(body),
      whole: (answer) => responseOf(body, answer),
      writer: (send) => new ResponseWriter(body, send),
    };
  },
  errorOf: (refusal) => ({ type: "error", ...errorBody(refusal) }),
};
