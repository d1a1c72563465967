import { randomUUID } from "node:crypto";
import type { ChatAnswer, ChatChunk, ChatHead, EventWriter, SaidCall } from "./surface.ts";

/** What of a request its response says again. */
export interface RepeatedRequest {
  readonly instructions?: string | undefined;
  readonly max_output_tokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly top_p?: number | undefined;
  readonly tools?: readonly FunctionTool[] | undefined;
  readonly tool_choice?: unknown;
  readonly parallel_tool_calls?: boolean | undefined;
  readonly text?: { readonly format?: TextFormat | undefined } | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

interface FunctionTool {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly parameters?: unknown;
  readonly strict?: boolean | null | undefined;
}

/** What the text is to be. */
export interface TextFormat {
  readonly type: string;
  readonly [key: string]: unknown;
}

interface TextPart {
  readonly type: "output_text";
  readonly text: string;
  readonly annotations: readonly never[];
  readonly logprobs: readonly never[];
}

type State = "in_progress" | "completed" | "incomplete";

/** What a reply is made of. */
type OutputItem =
  | {
      readonly type: "message";
      readonly id: string;
      readonly status: State;
      readonly role: "assistant";
      readonly content: readonly TextPart[];
    }
  | {
      readonly type: "function_call";
      readonly id: string;
      readonly status: State;
      readonly call_id: string;
      readonly name: string;
      readonly arguments: string;
    };

const itemId = (kind: "msg" | "fc"): string => `${kind}_${randomUUID().replaceAll("-", "")}`;

const textPart = (text: string): TextPart => ({ type: "output_text", text, annotations: [], logprobs: [] });

const messageItem = (id: string, status: State, content: readonly TextPart[]): OutputItem => ({
  type: "message",
  id,
  status,
  role: "assistant",
  content,
});

const callItem = (id: string, status: State, call: SaidCall, given: string): OutputItem => ({
  type: "function_call",
  id,
  status,
  call_id: call.id,
  name: call.function.name,
  arguments: given,
});

/** What keeps a reply from being complete. The interface has no word for an end that is not known. */
const lacks = { stop: null, tool_calls: null, length: "max_output_tokens", content_filter: "content_filter" } as const;

function statusOf({ choices: [choice] }: ChatAnswer): {
  readonly status: "completed" | "incomplete";
  readonly incomplete_details: object | null;
} {
  const reason = choice?.finish_reason ? lacks[choice.finish_reason] : undefined;
  if (reason === null) return { status: "completed", incomplete_details: null };
  return { status: "incomplete", incomplete_details: reason === undefined ? null : { reason } };
}

/** The whole answer as a response. */
export function responseOf(body: RepeatedRequest, answer: ChatAnswer): unknown {
  const { content, tool_calls: calls = [] } = answer.choices[0]?.message ?? { content: "" };
  const { status } = statusOf(answer);
  const output = [
    ...(content || calls.length === 0 ? [messageItem(itemId("msg"), status, [textPart(content ?? "")])] : []),
    ...calls.map((call) => callItem(itemId("fc"), "completed", call, call.function.arguments)),
  ];
  return endedResponse(body, answer, output);
}

function endedResponse(body: RepeatedRequest, answer: ChatAnswer, output: readonly OutputItem[]): object {
  const { usage, choices } = answer;
  const said = choices[0]?.laconic;
  return {
    ...responseHead(body, answer),
    ...statusOf(answer),
    output,
    usage: {
      input_tokens: usage.prompt_tokens,
      // Clients' types require the details.
      input_tokens_details: usage.prompt_tokens_details ?? { cached_tokens: 0 },
      output_tokens: usage.completion_tokens,
      output_tokens_details: usage.completion_tokens_details ?? { reasoning_tokens: 0 },
      total_tokens: usage.total_tokens,
      ...(usage.laconic !== undefined && { laconic: usage.laconic }),
    },
    ...(said !== undefined && { laconic: said }),
  };
}

/** What a response says before there is any output. */
function responseHead(body: RepeatedRequest, { id, created, model, system_fingerprint: weights }: ChatHead): object {
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

/** Events of a response, in OpenAI's order: what opens an item or a part also ends it. */
export class ResponseWriter implements EventWriter {
  readonly #body: RepeatedRequest;
  readonly #send: (event: unknown) => void;
  readonly #output: OutputItem[] = [];
  #sequence = 0;
  #text: { readonly id: string; text: string } | null = null;

  constructor(body: RepeatedRequest, send: (event: unknown) => void) {
    this.#body = body;
    this.#send = send;
  }

  chunk({ choices, ...head }: ChatChunk): void {
    this.#begin(head);
    const { content, tool_calls: calls = [] } = choices[0]?.delta ?? {};
    if (content) this.#say(content);
    for (const call of calls) this.#call(call);
  }

  end(answer: ChatAnswer): void {
    this.#begin(answer);
    if (this.#output.length === 0) this.#say("");
    const { status } = statusOf(answer);
    this.#endText(status);
    this.#event(`response.${status}`, { response: endedResponse(this.#body, answer, this.#output) });
  }

  #event(type: string, facts: object): void {
    this.#send({ type, sequence_number: this.#sequence++, ...facts });
  }

  #begin(head: ChatHead): void {
    if (this.#sequence > 0) return;
    const response = responseHead(this.#body, head);
    this.#event("response.created", { response });
    this.#event("response.in_progress", { response });
  }

  #say(delta: string): void {
    if (!this.#text) {
      const id = itemId("msg");
      this.#text = { id, text: "" };
      this.#output.push(messageItem(id, "in_progress", []));
      this.#event("response.output_item.added", { ...this.#place(), item: this.#output.at(-1) });
      this.#event("response.content_part.added", { ...this.#inPart(id), part: textPart("") });
    }
    this.#text.text += delta;
    if (delta) this.#event("response.output_text.delta", { ...this.#inPart(this.#text.id), delta, logprobs: [] });
  }

  #endText(status: State): void {
    if (!this.#text) return;
    const { id, text } = this.#text;
    this.#text = null;
    this.#event("response.output_text.done", { ...this.#inPart(id), text, logprobs: [] });
    this.#event("response.content_part.done", { ...this.#inPart(id), part: textPart(text) });
    this.#endItem(messageItem(id, status, [textPart(text)]));
  }

  #call(call: SaidCall): void {
    this.#endText("completed");
    const id = itemId("fc");
    const { name, arguments: given } = call.function;
    this.#output.push(callItem(id, "in_progress", call, ""));
    this.#event("response.output_item.added", { ...this.#place(), item: this.#output.at(-1) });
    const place = { ...this.#place(), item_id: id };
    this.#event("response.function_call_arguments.delta", { ...place, delta: given });
    this.#event("response.function_call_arguments.done", { ...place, name, arguments: given });
    this.#endItem(callItem(id, "completed", call, given));
  }

  #endItem(item: OutputItem): void {
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
