import type { LaconicErrorCode } from "../errors.ts";
import type { FinishReason } from "../language-model.ts";

/** Expected result: a completion, or the error code after all attempts. */
export type ReplyReading =
  | { readonly text: string; readonly reasoning: string; readonly finishReason: FinishReason }
  | { readonly error: LaconicErrorCode };

/** Successful HTTP reply of a server, as in its documentation or source. */
export interface RecordedReply {
  readonly server: string;
  readonly shape: string;
  /** OpenAI's chat completions, text completions, or SGLang's `/generate`. */
  readonly wire: "chat" | "text" | "generate";
  readonly body: unknown;
  readonly reading: ReplyReading;
}

type Row = readonly [server: string, shape: string, body: unknown, reading: ReplyReading];

const usage = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 };
const head = { id: "cmpl-1", created: 1764000000, model: "tiny" };

const choices = (choice: object, more: object = {}): object => ({
  ...head,
  object: "chat.completion",
  choices: [{ index: 0, ...choice }],
  usage,
  ...more,
});
const message = (content: unknown, more: object = {}): object => ({ role: "assistant", content, ...more });
const chat = (content: unknown, reason: unknown, more: object = {}): object =>
  choices({ message: message(content, more), finish_reason: reason });

const whole = (text: string, reasoning = ""): ReplyReading => ({ text, reasoning, finishReason: "stop" });
const cut = (text: string, reasoning = ""): ReplyReading => ({ text, reasoning, finishReason: "length" });
const refused = (text = ""): ReplyReading => ({ text, reasoning: "", finishReason: "refusal" });
const open = (text: string, reasoning = ""): ReplyReading => ({ text, reasoning, finishReason: "unknown" });
const malformed: ReplyReading = { error: "reply_malformed" };
const unavailable: ReplyReading = { error: "api_unavailable" };

const violent = { hate: { filtered: false, severity: "safe" }, violence: { filtered: true, severity: "high" } };
const call = { id: "call_1", type: "function", function: { name: "look", arguments: '{"key":"a"}' } };

const openAi: readonly Row[] = [
  ["OpenAI", "an answer", chat("It is 4.", "stop", { refusal: null, annotations: [] }), whole("It is 4.")],
  ["OpenAI", "an answer cut at max_tokens", chat("It is", "length", { refusal: null }), cut("It is")],
  ["OpenAI", "a refusal", chat(null, "stop", { refusal: "I can't help with that." }), refused()],
  ["OpenAI", "a filtered answer with its beginning", chat("It", "content_filter", { refusal: null }), refused("It")],
  ["OpenAI", "a call of a tool", chat(null, "tool_calls", { tool_calls: [call] }), whole("")],
  ["OpenAI", "a call of a function, the older form", chat(null, "function_call", { function_call: {} }), whole("")],
  ["OpenAI", "reasoning that used up the limit", chat("", "length", { refusal: null }), cut("")],
  [
    "OpenAI",
    "output_text parts behind a proxy of the Responses API",
    chat(
      [
        { type: "output_text", text: "It is ", annotations: [] },
        { type: "output_text", text: "4." },
      ],
      "stop",
    ),
    whole("It is 4."),
  ],
  ["OpenAI", "a refusal as a part", chat([{ type: "refusal", refusal: "I can't." }], "stop"), refused()],
];

const azure: readonly Row[] = [
  [
    "Azure",
    "a filtered answer without content",
    choices({ message: { role: "assistant" }, finish_reason: "content_filter", content_filter_results: violent }),
    refused(),
  ],
  ["Azure", "a filtered answer without message", choices({ finish_reason: "content_filter" }), refused()],
  [
    "Azure",
    "finish_details instead of finish_reason",
    choices({ message: message("It is 4."), finish_details: { type: "stop", stop: "<|fim_suffix|>" } }),
    whole("It is 4."),
  ],
  [
    "Azure",
    "finish_details of a cut answer",
    choices({ message: message("It is"), finish_reason: null, finish_details: { type: "max_tokens" } }),
    cut("It is"),
  ],
  [
    "Azure",
    "a filtered prompt",
    { ...head, choices: [], prompt_filter_results: [{ prompt_index: 0, content_filter_results: violent }] },
    refused(),
  ],
];

const anthropic: readonly Row[] = [
  [
    "Anthropic",
    "blocks of thinking and text behind a proxy",
    chat(
      [
        { type: "thinking", thinking: "2 + 2", signature: "c2ln" },
        { type: "redacted_thinking", data: "ZGF0YQ==" },
        { type: "text", text: "It is 4." },
      ],
      "end_turn",
    ),
    whole("It is 4.", "2 + 2"),
  ],
  ["Anthropic", "its own word for a limit", chat([{ type: "text", text: "It is" }], "max_tokens"), cut("It is")],
  ["Anthropic", "a full context", chat("It is", "model_context_window_exceeded"), cut("It is")],
  ["Anthropic", "a stop text", chat("It is 4.", "stop_sequence"), whole("It is 4.")],
  ["Anthropic", "a refusal without blocks", chat([], "refusal"), refused()],
  ["Anthropic", "a turn that waits to be resumed", chat("I search.", "pause_turn"), open("I search.")],
  [
    "Anthropic",
    "a block that calls a tool",
    chat(
      [
        { type: "text", text: "I look." },
        { type: "tool_use", id: "t", name: "look", input: {} },
      ],
      "tool_use",
    ),
    whole("I look."),
  ],
];

const gemini: readonly Row[] = [
  ["Gemini", "an answer", chat("It is 4.\n", "stop"), whole("It is 4.\n")],
  ["Gemini", "its own word for an end", chat("It is 4.", "STOP"), whole("It is 4.")],
  [
    "Gemini",
    "thoughts that used up the limit",
    choices({ message: { role: "assistant" }, finish_reason: "length" }),
    cut(""),
  ],
  ["Gemini", "its own word for a limit", chat("It is", "MAX_TOKENS"), cut("It is")],
  ["Gemini", "a recitation", choices({ finish_reason: "content_filter: RECITATION" }), refused()],
  ["Gemini", "its own word for a filter", choices({ finish_reason: "PROHIBITED_CONTENT", message: null }), refused()],
  [
    "Gemini",
    "a call that the server rejects",
    choices({ finish_reason: "function_call_filter: MALFORMED_FUNCTION_CALL", message: { role: "assistant" } }),
    open(""),
  ],
  ["Gemini", "a blocked prompt", { ...head, choices: [], prompt_feedback: { block_reason: "SAFETY" } }, refused()],
  ["Gemini", "a blocked prompt in camel case", { ...head, promptFeedback: { blockReason: "OTHER" } }, refused()],
  [
    "Gemini",
    "parts with a thought",
    chat([{ text: "2 + 2", thought: true }, { text: "It is " }, { text: "4." }], "FinishReason.STOP"),
    whole("It is 4.", "2 + 2"),
  ],
];

const others: readonly Row[] = [
  [
    "OpenAI",
    "a text with annotations, as the Assistants API has it",
    chat([{ type: "text", text: { value: "It is 4.", annotations: [] } }], "stop"),
    whole("It is 4."),
  ],
  [
    "Gemini",
    "content in its own form",
    chat({ role: "model", parts: [{ text: "2 + 2", thought: true }, { text: "It is 4." }] }, "STOP"),
    whole("It is 4.", "2 + 2"),
  ],
  [
    "OpenRouter",
    "encrypted reasoning",
    chat("4", "stop", { reasoning_details: [{ type: "reasoning.encrypted" }] }),
    whole("4"),
  ],
  [
    "Mistral",
    "thinking and text parts",
    chat(
      [
        {
          type: "thinking",
          thinking: [
            { type: "text", text: "2 + " },
            { type: "text", text: "2" },
          ],
          closed: true,
        },
        { type: "text", text: "It is 4." },
        { type: "reference", reference_ids: [1] },
      ],
      "stop",
    ),
    whole("It is 4.", "2 + 2"),
  ],
  ["Mistral", "a full context", chat("It is", "model_length"), cut("It is")],
  ["Mistral", "an error in the middle", chat("It is", "error"), malformed],
  [
    "DeepSeek",
    "reasoning beside the answer",
    chat("It is 4.", "stop", { reasoning_content: "2 + 2" }),
    whole("It is 4.", "2 + 2"),
  ],
  ["DeepSeek", "a server without resources", chat("It is", "insufficient_system_resource"), malformed],
  ["xAI", "an answer", chat("It is 4.", "end_turn", { refusal: null, reasoning_content: "" }), whole("It is 4.")],
  ["xAI", "its gRPC word for a limit", chat("It is", "REASON_MAX_LEN"), cut("It is")],
  [
    "vLLM",
    "an answer with reasoning under both names",
    choices({
      message: message("It is 4.", { refusal: null, reasoning: "2 + 2", reasoning_content: "2 + 2", tool_calls: [] }),
      logprobs: null,
      finish_reason: "stop",
      stop_reason: 151645,
    }),
    whole("It is 4.", "2 + 2"),
  ],
  ["vLLM", "an aborted request", chat("It is", "abort"), malformed],
  ["SGLang", "the engine's own form of the reason", chat("It is", { type: "length", length: 4 }), cut("It is")],
  ["Ollama", "an answer with reasoning", chat("It is 4.", "stop", { reasoning: "2 + 2" }), whole("It is 4.", "2 + 2")],
  ["Ollama", "a reply whose done_reason is empty", chat("It is", null), open("It is")],
  ["Ollama", "a request that only loaded the model", chat("", "load"), open("")],
  [
    "OpenRouter",
    "reasoning with details, and the provider's own reason",
    choices({
      message: message("It is 4.", {
        reasoning: "2 + 2",
        reasoning_details: [{ type: "reasoning.text", text: "2 + 2", format: "unknown", index: 0 }],
      }),
      finish_reason: "stop",
      native_finish_reason: "completed",
    }),
    whole("It is 4.", "2 + 2"),
  ],
  [
    "OpenRouter",
    "reasoning in details alone",
    chat("It is 4.", "stop", { reasoning_details: [{ type: "reasoning.summary", summary: "2 + 2" }] }),
    whole("It is 4.", "2 + 2"),
  ],
  [
    "OpenRouter",
    "the provider's own reason alone",
    choices({ message: message("It is"), finish_reason: null, native_finish_reason: "MAX_TOKENS" }),
    cut("It is"),
  ],
  [
    "OpenRouter",
    "a provider that broke off",
    choices({
      message: message("It is"),
      finish_reason: "error",
      error: { code: 502, message: "Provider disconnected" },
    }),
    unavailable,
  ],
  ["Zhipu", "a sensitive answer", chat("", "sensitive"), refused()],
  ["Text Generation Inference", "the end token", chat("It is 4.", "eos_token"), whole("It is 4.")],
  ["Cohere", "its own word for an end", chat([{ type: "text", text: "It is 4." }], "COMPLETE"), whole("It is 4.")],
  ["Bedrock", "a guardrail", chat([], "guardrail_intervened"), refused()],
  ["a later server", "a reason outside the table", chat("It is 4.", "ran_out_of_luck"), open("It is 4.")],
  ["a later server", "a part outside the table", chat([{ type: "hologram", text: "x" }, "4."], "stop"), whole("4.")],
];

/** Errors and broken replies with status 200. */
const failures: readonly Row[] = [
  [
    "OpenRouter",
    "an error as a success",
    { error: { code: 502, message: "Provider returned error", metadata: { provider_name: "x" } } },
    unavailable,
  ],
  [
    "Gemini",
    "an error in a list",
    [{ error: { code: 503, message: "overloaded", status: "UNAVAILABLE" } }],
    unavailable,
  ],
  [
    "Anthropic",
    "an error in its own form",
    { type: "error", error: { type: "overloaded_error", message: "x" } },
    malformed,
  ],
  ["Ollama", "an error that is a text", { error: "model 'tiny' not found" }, malformed],
  ["FastAPI", "a detail", { detail: "Not Found" }, malformed],
  ["a lying server", "no choice", choices({}, { choices: [] }), malformed],
  ["a lying server", "an empty choice", choices({}, { choices: [{}] }), malformed],
  ["a lying server", "choices that are no list", { ...head, choices: { message: message("It is 4.") } }, malformed],
  ["a lying server", "content that is a number", chat(4, "stop"), malformed],
  ["a lying server", "content that is an object without text", chat({ answer: "It is 4." }, "stop"), malformed],
  ["a lying server", "a part whose text is a number", chat([{ type: "text", text: 4 }], "stop"), malformed],
  ["a lying server", "a message that is a text", choices({ message: "It is 4.", finish_reason: "stop" }), malformed],
];

const texts: readonly Row[] = [
  ["OpenAI", "an answer", choices({ text: " 4.", logprobs: null, finish_reason: "stop" }), whole(" 4.")],
  ["OpenAI", "a cut answer", choices({ text: " 4", logprobs: null, finish_reason: "length" }), cut(" 4")],
  ["Azure", "a filtered answer", choices({ text: "", logprobs: null, finish_reason: "content_filter" }), refused()],
  ["Azure", "a filtered answer without text", choices({ text: null, finish_reason: "content_filter" }), refused()],
  ["vLLM", "an aborted request", choices({ text: " 4", finish_reason: "abort", stop_reason: null }), malformed],
  ["OpenRouter", "an error in the middle", choices({ text: " 4", finish_reason: "error" }), malformed],
  ["llama.cpp", "a reply without a reason", choices({ text: " 4", finish_reason: null }), open(" 4")],
  ["Together", "the end token", choices({ text: " 4.", finish_reason: "eos", seed: 7 }), whole(" 4.")],
  ["a lying server", "a text that is a number", choices({ text: 4, finish_reason: "stop" }), malformed],
];

const generated = (finish_reason: unknown): object => ({
  text: "4",
  output_ids: [5, 2],
  meta_info: {
    id: "a",
    finish_reason,
    prompt_tokens: 3,
    completion_tokens: 2,
    output_token_logprobs: [
      [-0.5, 5, null],
      [-0.25, 2, null],
    ],
  },
});

const generations: readonly Row[] = [
  ["SGLang", "a stop token", generated({ type: "stop", matched: 2 }), whole("4")],
  ["SGLang", "a limit", generated({ type: "length", length: 2 }), cut("4")],
  ["SGLang", "an aborted request", generated({ type: "abort", message: "Aborted", status_code: null }), unavailable],
  ["SGLang", "a reason outside the table", generated({ type: "ran_out_of_luck" }), unavailable],
];

const on = (wire: RecordedReply["wire"], rows: readonly Row[]): RecordedReply[] =>
  rows.map(([server, shape, body, reading]) => ({ server, shape, wire, body, reading }));

/** Replies of supported servers with their expected results. */
export const recordedReplies: readonly RecordedReply[] = [
  ...on("chat", [...openAi, ...azure, ...anthropic, ...gemini, ...others, ...failures]),
  ...on("text", texts),
  ...on("generate", generations),
];
