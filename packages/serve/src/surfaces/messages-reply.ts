import { boundedJson, JsonText, writeJson } from "@laconic/core/json";
import type { WireReason } from "../wire-reason.ts";
import type { ChatAnswer, ChatChunk, ChatHead, EventWriter, SaidCall } from "./surface.ts";

type ContentBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown };

const stopReasons: Readonly<Record<NonNullable<WireReason>, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  content_filter: "refusal",
};

/** @throws SyntaxError for arguments that are not JSON: a format reads no such calls */
function useOf({ id, function: { name, arguments: given } }: SaidCall): ContentBlock {
  boundedJson(given);
  return { type: "tool_use", id, name, input: new JsonText(given) };
}

/** Anthropic's input tokens exclude what was read from a cache or written to it. */
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

/** The whole answer as a message, its calls' input as the model wrote it. */
export function messageOf(answer: ChatAnswer): JsonText {
  const { content, tool_calls: calls = [] } = answer.choices[0]?.message ?? { content: "" };
  const text: ContentBlock[] = content ? [{ type: "text", text: content }] : [];
  const message = {
    ...headOf(answer),
    content: [...text, ...calls.map(useOf)],
    ...endOf(answer),
    usage: usageOf(answer),
    ...laconicOf(answer),
  };
  return new JsonText(writeJson(message));
}

/** Events of a message, in Anthropic's order: a block ends before the next begins. */
export class MessageWriter implements EventWriter {
  readonly #send: (event: unknown) => void;
  #begun = false;
  #inText = false;
  /** Blocks that have ended. */
  #ended = 0;

  constructor(send: (event: unknown) => void) {
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
    if (this.#inText) this.#endBlock();
    this.#send({ type: "message_delta", delta: endOf(answer), usage: usageOf(answer), ...laconicOf(answer) });
    this.#send({ type: "message_stop" });
  }

  /** How many tokens were read is known at the end. */
  #begin(head: ChatHead): void {
    if (this.#begun) return;
    this.#begun = true;
    const usage = { input_tokens: 0, output_tokens: 0 };
    const message = { ...headOf(head), content: [], stop_reason: null, stop_sequence: null, usage };
    this.#send({ type: "message_start", message });
  }

  #say(text: string): void {
    if (!this.#inText) this.#beginBlock({ type: "text", text: "" });
    this.#inText = true;
    this.#delta({ type: "text_delta", text });
  }

  #call(call: SaidCall): void {
    if (this.#inText) this.#endBlock();
    this.#beginBlock({ ...useOf(call), input: {} });
    this.#delta({ type: "input_json_delta", partial_json: call.function.arguments });
    this.#endBlock();
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
