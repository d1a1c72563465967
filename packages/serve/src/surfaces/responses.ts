import { randomUUID } from "node:crypto";
import { wordTable } from "@laconic/core/checks";
import { z } from "zod";
import { errorBody, invalid } from "../http.ts";
import { parse, withoutNulls } from "../parse.ts";
import { idleShape, metadataSchema, notStored, surfaceShape, type WireCall } from "../schemas.ts";
import { readList, readText, readTyped } from "./surface.ts";
import type { ChatTurn, ChatAnswer, ChatHead, EventWriter, Surface } from "./surface.ts";

const functionTool = z.strictObject({
  type: z.literal("function", { error: "expected function; other tools run at their provider" }),
  name: z.string().min(1).max(256),
  description: z.string().nullish(),
  parameters: z.unknown().optional(),
  strict: z.boolean().nullish(),
});

const earlierTurns = z.never({ error: notStored("send the whole input, earlier turns included") }).optional();

const bodySchema = z.strictObject({
  ...surfaceShape,
  input: z.unknown(),
  instructions: z.string().optional(),
  max_output_tokens: z.int().min(1).optional(),
  tools: z.array(functionTool).max(128).optional(),
  tool_choice: z.unknown().optional(),
  parallel_tool_calls: z.boolean().optional(),
  metadata: metadataSchema.optional(),
  text: z
    .strictObject({
      format: z.strictObject({ type: z.enum(["text", "json_object"]) }).optional(),
      verbosity: idleShape.verbosity,
    })
    .optional(),
  prompt_cache_key: z.string().max(512).optional(),
  // Clients send these with a value that has no effect.
  previous_response_id: earlierTurns,
  conversation: earlierTurns,
  store: idleShape.store,
  background: z.literal(false, { error: notStored("use a stream") }).optional(),
  truncation: z.literal("disabled").optional(),
  include: z
    .array(z.literal("reasoning.encrypted_content", { error: "expected reasoning.encrypted_content" }))
    .optional(),
  reasoning: z.strictObject({ effort: z.literal("none").nullish(), summary: z.null().optional() }).optional(),
  max_tool_calls: z.int().min(1).optional(),
  service_tier: idleShape.service_tier,
  safety_identifier: idleShape.safety_identifier,
  stream_options: z.strictObject({ include_obfuscation: z.literal(false).optional() }).optional(),
});
type Body = z.output<typeof bodySchema>;

const part = (type: string): z.ZodType<string> =>
  z.looseObject({ type: z.literal(type), text: z.string() }).transform(({ text }) => text);
const texts = { input_text: part("input_text"), output_text: part("output_text") };

/** Content is read later, to report the location of a part. */
type Item =
  | { readonly kind: "message"; readonly role: string; readonly content: unknown; readonly name?: string | undefined }
  | { readonly kind: "call"; readonly id: string; readonly name: string; readonly arguments: string }
  | { readonly kind: "output"; readonly id: string; readonly output: unknown };

const callId = z.string().min(1).max(256);

/** Replies come back with client fields; only these are read. */
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
    .object({ type: z.literal("function_call"), call_id: callId, name: z.string().max(256), arguments: z.string() })
    .transform(({ call_id: id, name, arguments: json }) => ({ kind: "call", id, name, arguments: json })),
  function_call_output: z
    .object({ type: z.literal("function_call_output"), call_id: callId, output: z.unknown() })
    .transform(({ call_id: id, output }) => ({ kind: "output", id, output })),
});

/** Max calls per reply, as in chats. */
const maxCalls = 128;

/** Calls join the previous assistant message: one reply has text and calls. */
function turnsOf(input: unknown): ChatTurn[] {
  if (typeof input === "string") return [{ role: "user", content: input }];
  const turns: ChatTurn[] = [];
  readList(input, "input", (value, location) => {
    const item = readTyped(items, value, location, "message");
    if (item.kind === "call") {
      const { id, name, arguments: json } = item;
      const last = turns.at(-1)?.role === "assistant" ? turns.pop() : undefined;
      // Each call copies the previous ones, so their number is limited.
      if ((last?.tool_calls?.length ?? 0) >= maxCalls)
        throw invalid(`${location}: expected at most ${maxCalls} calls per reply`, location);
      const call = { id, type: "function", function: { name, arguments: json } } as const;
      turns.push({ role: "assistant", content: "", ...last, tool_calls: [...(last?.tool_calls ?? []), call] });
    } else if (item.kind === "output")
      turns.push({ role: "tool", tool_call_id: item.id, content: readText(item.output, `${location}.output`, texts) });
    else {
      const { role, content, name } = item;
      turns.push({
        role,
        content: readText(content, `${location}.content`, texts),
        ...(name !== undefined && { name }),
      });
    }
  });
  if (turns.length === 0) throw invalid("input: expected at least one item", "input");
  return turns;
}

const namedChoice = z.strictObject({ type: z.literal("function"), name: z.string() });

function choiceOf(choice: unknown): unknown {
  const named = namedChoice.safeParse(choice);
  return named.success ? { type: "function", function: { name: named.data.name } } : choice;
}

const passed = new Set([...Object.keys(surfaceShape), "metadata", "prompt_cache_key"]);

function chatOf(body: Body): Record<string, unknown> {
  const { input, instructions, max_output_tokens: maxTokens, tools = [], tool_choice: choice, text } = body;
  return {
    ...Object.fromEntries(Object.entries(body).filter(([key]) => passed.has(key))),
    ...(text?.format && { response_format: text.format }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: "function",
        function: { name, ...(description && { description }), ...(parameters != null && { parameters }) },
      })),
      ...(choice !== undefined && { tool_choice: choiceOf(choice) }),
    }),
    messages: [...(instructions === undefined ? [] : [{ role: "system", content: instructions }]), ...turnsOf(input)],
  };
}

const itemId = (kind: "msg" | "fc"): string => `${kind}_${randomUUID().replaceAll("-", "")}`;
const textPart = (text: string): object => ({ type: "output_text", text, annotations: [], logprobs: [] });
const messageItem = (id: string, status: string, content: readonly object[]): object => ({
  type: "message",
  id,
  status,
  role: "assistant",
  content,
});
const callItem = (id: string, status: string, { id: call_id, function: { name } }: WireCall, json: string): object => ({
  type: "function_call",
  id,
  status,
  call_id,
  name,
  arguments: json,
});

/** The interface has no value for an unknown reason. */
const lacks = { stop: null, tool_calls: null, length: "max_output_tokens", content_filter: "content_filter" } as const;

function statusOf({ choices: [choice] }: ChatAnswer): {
  readonly status: "completed" | "incomplete";
  readonly incomplete_details: object | null;
} {
  const reason = choice?.finish_reason ? lacks[choice.finish_reason] : undefined;
  if (reason === null) return { status: "completed", incomplete_details: null };
  return { status: "incomplete", incomplete_details: reason === undefined ? null : { reason } };
}

function responseOf(body: Body, answer: ChatAnswer): object {
  const { content, tool_calls: calls = [] } = answer.choices[0]?.message ?? { content: "" };
  const { status } = statusOf(answer);
  return endedResponse(body, answer, [
    ...(content || calls.length === 0 ? [messageItem(itemId("msg"), status, [textPart(content ?? "")])] : []),
    ...calls.map((call) => callItem(itemId("fc"), "completed", call, call.function.arguments)),
  ]);
}

function endedResponse(body: Body, answer: ChatAnswer, output: readonly object[]): object {
  const { usage, choices } = answer;
  const message = choices[0]?.laconic;
  return {
    ...responseHead(body, answer),
    ...statusOf(answer),
    output,
    usage: {
      input_tokens: usage.prompt_tokens,
      // Client types require the details.
      input_tokens_details: usage.prompt_tokens_details ?? { cached_tokens: 0 },
      output_tokens: usage.completion_tokens,
      output_tokens_details: usage.completion_tokens_details ?? { reasoning_tokens: 0 },
      total_tokens: usage.total_tokens,
      ...(usage.laconic !== undefined && { laconic: usage.laconic }),
    },
    ...(message !== undefined && { laconic: message }),
  };
}

function responseHead(body: Body, { id, created, model, system_fingerprint: weights }: ChatHead): object {
  return {
    id: id.replace(/^chatcmpl-/u, "resp_"),
    object: "response",
    created_at: created,
    model,
    status: "in_progress",
    error: null,
    incomplete_details: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    metadata: body.metadata ?? {},
    output: [],
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: null,
    store: false,
    temperature: body.temperature ?? null,
    text: { format: body.text?.format ?? { type: "text" } },
    tool_choice: body.tool_choice ?? "auto",
    tools: body.tools ?? [],
    top_p: body.top_p ?? null,
    usage: null,
    ...(weights !== undefined && { system_fingerprint: weights }),
  };
}

/** Writes response events in OpenAI's order; the opener of an item or part also ends it. */
class ResponseWriter implements EventWriter {
  readonly #body: Body;
  readonly #send: (event: unknown) => void;
  readonly #output: object[] = [];
  #sequence = 0;
  #text: { readonly id: string; text: string } | null = null;

  constructor(body: Body, send: (event: unknown) => void) {
    this.#body = body;
    this.#send = send;
  }

  begin(head: ChatHead): void {
    const response = responseHead(this.#body, head);
    this.#event("response.created", { response });
    this.#event("response.in_progress", { response });
  }

  text(delta: string): void {
    if (!this.#text) {
      const id = itemId("msg");
      this.#text = { id, text: "" };
      this.#beginItem(messageItem(id, "in_progress", []));
      this.#event("response.content_part.added", { ...this.#inPart(id), part: textPart("") });
    }
    this.#text.text += delta;
    if (delta) this.#event("response.output_text.delta", { ...this.#inPart(this.#text.id), delta, logprobs: [] });
  }

  call(call: WireCall): void {
    this.#endText("completed");
    const id = itemId("fc");
    const { name, arguments: json } = call.function;
    this.#beginItem(callItem(id, "in_progress", call, ""));
    const location = { ...this.#place(), item_id: id };
    this.#event("response.function_call_arguments.delta", { ...location, delta: json });
    this.#event("response.function_call_arguments.done", { ...location, name, arguments: json });
    this.#endItem(callItem(id, "completed", call, json));
  }

  end(answer: ChatAnswer): void {
    if (this.#output.length === 0) this.text("");
    const { status } = statusOf(answer);
    this.#endText(status);
    this.#event(`response.${status}`, { response: endedResponse(this.#body, answer, this.#output) });
  }

  #event(type: string, fields: object): void {
    this.#send({ type, sequence_number: this.#sequence++, ...fields });
  }

  #endText(status: string): void {
    if (!this.#text) return;
    const { id, text } = this.#text;
    this.#text = null;
    this.#event("response.output_text.done", { ...this.#inPart(id), text, logprobs: [] });
    this.#event("response.content_part.done", { ...this.#inPart(id), part: textPart(text) });
    this.#endItem(messageItem(id, status, [textPart(text)]));
  }

  #beginItem(item: object): void {
    this.#output.push(item);
    this.#event("response.output_item.added", { ...this.#place(), item });
  }

  #endItem(item: object): void {
    this.#output[this.#output.length - 1] = item;
    this.#event("response.output_item.done", { ...this.#place(), item });
  }

  #place(): object {
    return { output_index: this.#output.length - 1 };
  }

  #inPart(id: string): object {
    return { ...this.#place(), item_id: id, content_index: 0 };
  }
}

/** `POST /v1/responses` for OpenAI's clients; each request contains its whole history. */
export const responsesSurface: Surface = {
  read(json) {
    const body = parse(bodySchema, withoutNulls(json));
    return {
      chat: chatOf(body),
      whole: (answer) => responseOf(body, answer),
      writer: (send) => new ResponseWriter(body, send),
    };
  },
  errorOf: (refusal) => ({ type: "error", ...errorBody(refusal) }),
};
