import { randomUUID } from "node:crypto";
import type { Prompt, Sampling, Tokenizer, ToolFormat, ToolMessage } from "@laconic/core";
import { samplingOfFields } from "@laconic/core/backends";
import { exactJson, exactNumber, writeJson } from "@laconic/core/json";
import { z } from "zod";
import { chatForm, textForm } from "./forms.ts";
import type { CalledTool, LogProbMode, ReadReply, ReplyForm, ReplyShape } from "./forms.ts";
import { invalid, tooLongError } from "./http.ts";
import { parse } from "./parse.ts";
import { choiceRule, formatRule, type ReplyRule } from "./reply-rules.ts";
import { commonShape, textSchema, type WireCall } from "./schemas.ts";

export interface Job extends ReplyShape {
  readonly prompts: readonly Prompt[];
  readonly count: number;
  readonly form: ReplyForm;
  readonly sampling: Sampling;
  /** 0 requests only the prompt's log-probs. */
  readonly maxTokens: number;
  readonly seed: number | undefined;
  readonly topLogProbs: number;
  readonly echo: boolean;
  readonly rules: readonly ReplyRule[];
  readonly isStreamed: boolean;
  readonly includesUsage: boolean;
  /** Equal keys share cached prefixes. */
  readonly conversation: string | undefined;
  readonly facts?: Readonly<Record<string, unknown>>;
}

const shared = {
  ...commonShape,
  stop: z.union([z.string(), z.array(z.string()).max(16)]).exactOptional(),
  return_token_ids: z.boolean().exactOptional(),
  logprobs_mode: z.enum(["raw_logprobs", "processed_logprobs"]).exactOptional(),
  prompt_cache_key: z.string().max(512).exactOptional(),
  // Clients send these with the value that has no effect.
  frequency_penalty: z.literal(0).exactOptional(),
  presence_penalty: z.literal(0).exactOptional(),
};
const sharedSchema = z.object(shared);
const tokens = z.array(z.int().min(0)).min(1);

const callsSchema = z
  .array(
    z.object({
      id: z.string().max(256),
      type: z.literal("function").optional(),
      function: z.object({ name: z.string().max(256), arguments: z.string() }),
    }),
  )
  .max(128);

const messageSchema = z.discriminatedUnion(
  "role",
  [
    // Chat templates know OpenAI's `developer` role as `system`.
    z.object({ role: z.enum(["system", "developer"]), content: textSchema }),
    z.object({ role: z.literal("user"), content: textSchema }),
    z.object({ role: z.literal("tool"), content: textSchema, tool_call_id: z.string().max(256) }),
    z.object({ role: z.literal("assistant"), content: textSchema.nullish(), tool_calls: callsSchema.nullish() }),
  ],
  { error: "expected system, developer, user, assistant or tool" },
);

const chatSchema = z.strictObject({
  ...shared,
  tools: z
    .array(
      z.object({
        type: z.literal("function"),
        function: z.object({
          name: z.string().max(256),
          description: z.string().exactOptional(),
          parameters: z.unknown().optional(),
        }),
      }),
    )
    .max(128)
    .nullish(),
  tool_choice: z
    .union(
      [
        z.enum(["auto", "none", "required"]),
        z.object({ type: z.literal("function"), function: z.object({ name: z.string() }) }),
      ],
      { error: "expected auto, none, required, or a function's name" },
    )
    .nullish(),
  messages: z.array(messageSchema).min(1),
  max_completion_tokens: z.int().min(1).exactOptional(),
  response_format: z.strictObject({ type: z.enum(["text", "json_object"]) }).exactOptional(),
  logprobs: z.boolean().exactOptional(),
  top_logprobs: z.int().min(0).max(20).exactOptional(),
});

const completionSchema = z.strictObject({
  ...shared,
  // Clients send the default value.
  response_format: z.strictObject({ type: z.literal("text") }).exactOptional(),
  best_of: z.literal(1).exactOptional(),
  max_tokens: z.int().min(0).exactOptional(),
  prompt: z.union([z.string(), tokens, z.array(z.string()).min(1), z.array(tokens).min(1)], {
    error: "expected a text, token ids, or a non-empty array of either",
  }),
  logprobs: z.int().min(0).max(5).exactOptional(),
  echo: z.boolean().exactOptional(),
});

export interface ChatContext {
  readonly defaultMaxTokens: number;
  /** Tool format of the model; null refuses tools. */
  readonly tools: ToolFormat | null;
  /** Returns the model's text of these calls; null for others. */
  readonly textOf?: (calls: readonly WireCall[]) => string | null;
}

/**
 * Reads a chat without nulls. The model's calls are replaced by the text that it wrote.
 * @throws HttpError 400 with the parameter
 */
export function chatJob(json: object, { defaultMaxTokens, tools: format, textOf = () => null }: ChatContext): Job {
  const body = parse(chatSchema, json);
  const { messages, max_completion_tokens: maxTokens, logprobs, top_logprobs: top } = body;
  const tools = (body.tools ?? []).map((tool) => tool.function);
  const offered = body.tool_choice === "none" ? [] : tools;
  const usesTools =
    tools.length > 0 ||
    messages.some((message) => message.role === "tool" || (message.role === "assistant" && message.tool_calls?.length));
  if (usesTools && !format) throw invalid("tools: not supported by this model", "tools");
  checkAnswers(messages);
  const plain = messages.map((message): ToolMessage => {
    const { role, content } = message;
    if (role !== "assistant") return { role: role === "developer" ? "system" : role, content };
    const calls = message.tool_calls ?? [];
    const text = calls.length === 0 ? (content ?? "") : textOf(calls);
    return text === null
      ? { role, content: content ?? "", calls: calls.map((call) => call.function) }
      : { role, content: text };
  });
  return {
    ...sharedJob(body),
    prompts: [{ kind: "messages", messages: format ? format.write(plain, offered) : plain }],
    count: body.n ?? 1,
    form: chatForm,
    maxTokens: maxTokens ?? body.max_tokens ?? defaultMaxTokens,
    echo: false,
    rules: [...choiceRule(body.tool_choice, tools), ...formatRule(body.response_format?.type)],
    ...logProbsOf(body.logprobs_mode, logprobs === true, top ?? 0),
    ...(format && offered.length > 0 && { readReply: ({ text }) => readCalls(format, text) }),
  };
}

/** @param json - without nulls @throws HttpError 400 with the parameter */
export function completionJob(json: object, defaultMaxTokens: number): Job {
  const body = parse(completionSchema, json);
  const { prompt, max_tokens: maxTokens, logprobs, echo = false } = body;
  if (maxTokens === 0 && !echo) throw invalid("max_tokens: 0 needs echo: true", "max_tokens");
  if (echo && body.stream === true) throw invalid("echo: not supported with stream", "echo");
  const prompts = promptsOf(prompt);
  const shown = logProbsOf(body.logprobs_mode, logprobs !== undefined, logprobs ?? 0);
  if (echo && shown.logProbs === "processed_logprobs")
    throw invalid("prompt tokens have raw_logprobs only", "logprobs_mode");
  return {
    ...sharedJob(body),
    prompts,
    count: prompts.length * (body.n ?? 1),
    form: textForm,
    maxTokens: maxTokens ?? defaultMaxTokens,
    echo,
    rules: [],
    ...shown,
  };
}

function sharedJob(body: z.output<typeof sharedSchema>) {
  return {
    sampling: samplingOfFields("openai-extended", body),
    seed: body.seed,
    stop: [body.stop ?? []].flat().filter((text) => text !== ""), // an empty stop text has no effect
    tokenIds: body.return_token_ids === true,
    isStreamed: body.stream === true,
    includesUsage: body.stream_options?.include_usage === true,
    conversation: body.prompt_cache_key,
  };
}

function promptsOf(prompt: z.output<typeof completionSchema>["prompt"]): Prompt[] {
  if (typeof prompt === "string") return [{ kind: "text", text: prompt }];
  if (typeof prompt[0] === "number") return [{ kind: "tokens", tokens: prompt as readonly number[] }];
  return (prompt as readonly (string | readonly number[])[]).map((item) =>
    typeof item === "string" ? { kind: "text", text: item } : { kind: "tokens", tokens: item },
  );
}

function logProbsOf(
  mode: LogProbMode = "raw_logprobs",
  asked: boolean,
  topLogProbs: number,
): Pick<Job, "logProbs" | "topLogProbs"> {
  if (topLogProbs > 0 && !asked) throw invalid("top_logprobs needs logprobs: true", "top_logprobs");
  if (topLogProbs > 0 && mode === "processed_logprobs")
    throw invalid("top_logprobs needs raw_logprobs", "logprobs_mode");
  return { logProbs: asked ? mode : null, topLogProbs };
}

/** Each tool message answers one call of the last reply, once. */
function checkAnswers(messages: readonly z.output<typeof messageSchema>[]): void {
  let waiting = new Map<string, boolean>();
  for (const [i, message] of messages.entries())
    if (message.role === "assistant") waiting = new Map((message.tool_calls ?? []).map(({ id }) => [id, true]));
    else if (message.role === "tool") {
      const { tool_call_id: id } = message;
      const location = `messages.${i}.tool_call_id`;
      const shown = JSON.stringify(id.slice(0, 64));
      if (!waiting.has(id)) throw invalid(`${location}: call ${shown} not found in the previous reply`, location);
      if (!waiting.get(id)) throw invalid(`${location}: call ${shown} already has an answer`, location);
      waiting.set(id, false);
    }
}

export function readCalls(format: ToolFormat, text: string): ReturnType<ReadReply> {
  const { content, calls } = format.read(text);
  return {
    content,
    calls: calls.map((call) => ({ id: `call_${randomUUID().replaceAll("-", "").slice(0, 24)}`, ...call })),
  };
}

/** JSON layout may differ. */
export function isSameCalls(made: readonly CalledTool[], sent: readonly WireCall[]): boolean {
  return (
    made.length === sent.length &&
    made.every(({ id, name, arguments: json }, i) => {
      const other = sent[i];
      return other?.id === id && other.function.name === name && isSameJson(json, other.function.arguments);
    })
  );
}

function isSameJson(left: string, right: string): boolean {
  const plain = (text: string): string => writeJson(exactJson(text, { number: exactNumber }));
  try {
    return plain(left) === plain(right);
  } catch {
    return left === right;
  }
}

/** Texts with fewer characters per token are tokenized in one pass and counted by the engine. */
const ordinary = 8;
/** A cut may tokenize its last word differently than the whole text. */
const slack = 64;

/**
 * Refuses a long prompt without tokenizing all of it, which takes seconds for megabytes. Prefixes of doubling length
 * are tokenized.
 * @throws HttpError 400 if the prompt exceeds the context
 */
export function checkPromptLength(prompt: Prompt, tokenizer: Tokenizer, contextLength: number): void {
  const parameter = prompt.kind === "messages" ? "messages" : "prompt";
  const tooLong = (): Error =>
    tooLongError(`the prompt is longer than the context of ${contextLength} tokens`, parameter);
  if (prompt.kind === "tokens") {
    if (prompt.tokens.length >= contextLength) throw tooLong();
    return;
  }
  const text = prompt.kind === "text" ? prompt.text : prompt.messages.map(({ content }) => content).join("\n");
  if (text.length <= contextLength * ordinary) return;
  for (let length = 2 * contextLength; length < text.length; length *= 2)
    if (tokenizer.encode(beginning(text, length)).length > contextLength + slack) throw tooLong();
}

/** Cuts between words if possible, and never inside a surrogate pair. */
function beginning(text: string, length: number): string {
  const cut = text.slice(0, length);
  const space = cut.lastIndexOf(" ");
  return (space > length / 2 ? cut.slice(0, space) : cut).replace(/[\ud800-\udbff]$/, "");
}
