import { randomUUID } from "node:crypto";
import {
  type ChatMessage,
  type Completion,
  type CompletionRequest,
  inputError,
  type LanguageModel,
  randomFromSeed,
} from "@laconic/core";
import { samplingOfFields, streamText, type StreamTokenizer } from "@laconic/core/backends";
import { optionCheck } from "@laconic/core/checks";
import type { AiSdkAsk, AiSdkEnd, AiSdkStreamPart, LaconicAiSdkModel } from "./sdk-types.ts";

/** Options of `toAiSdk`. */
export interface ToAiSdkOptions {
  /** Streams tokens as they are drawn; without it the text comes in one piece at the end. */
  readonly tokenizer?: StreamTokenizer;
  /** Default 1,024. */
  readonly defaultMaxTokens?: number;
  /** Default `laconic`. */
  readonly provider?: string;
}

/**
 * Wraps a `LanguageModel` as a `LanguageModelV3` of the AI SDK. Defaults are a random seed and temperature 1. Methods
 * throw LaconicError `input_invalid` for tools, files, JSON, penalties.
 */
export function toAiSdk(model: LanguageModel, options: ToAiSdkOptions = {}): LaconicAiSdkModel {
  checkOptions(options);
  const { provider = "laconic", defaultMaxTokens = 1024, tokenizer = silent } = options;
  return {
    specificationVersion: "v3",
    provider,
    modelId: model.id,
    supportedUrls: {},
    async doGenerate(ask) {
      try {
        const completion = await model.complete(requestOf(ask, defaultMaxTokens, ask.abortSignal));
        return { content: [{ type: "text", text: completion.text }], warnings: [], ...endOf(completion) };
      } catch (error) {
        throw reasonOf(error, ask);
      }
    },
    doStream(ask) {
      const left = new AbortController();
      const signal = ask.abortSignal ? AbortSignal.any([ask.abortSignal, left.signal]) : left.signal;
      // Invalid calls are rejected here, not in the stream.
      return Promise.resolve()
        .then(() => partsOf(model, ask, requestOf(ask, defaultMaxTokens, signal), tokenizer))
        .then((parts) => ({ stream: readableOf(parts, left) }));
    },
  };
}

const checkOptions = optionCheck<ToAiSdkOptions>()("toAiSdk", "tokenizer defaultMaxTokens provider");

/** Returns no pieces, so that all text arrives with the completion. */
const silent: StreamTokenizer = { endToken: -1, decode: () => "" };

async function* partsOf(
  model: LanguageModel,
  ask: AiSdkAsk,
  request: CompletionRequest,
  tokenizer: StreamTokenizer,
): AsyncGenerator<AiSdkStreamPart, void, undefined> {
  const id = "0";
  yield { type: "stream-start", warnings: [] };
  yield { type: "text-start", id };
  try {
    for await (const event of streamText(model, request, tokenizer)) {
      if (event.kind === "completion") {
        yield { type: "text-end", id };
        yield { type: "finish", ...endOf(event.completion) };
      } else if (event.text !== "") yield { type: "text-delta", id, delta: event.text };
    }
  } catch (error) {
    yield { type: "error", error: reasonOf(error, ask) };
  }
}

function readableOf(
  parts: AsyncGenerator<AiSdkStreamPart, void, undefined>,
  left: AbortController,
): ReadableStream<AiSdkStreamPart> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => left.abort(),
  });
}

function requestOf(ask: AiSdkAsk, defaultMaxTokens: number, signal: AbortSignal | undefined): CompletionRequest {
  const refused = [
    (ask.tools ?? []).length > 0 && "tools",
    ask.responseFormat?.type === "json" && "responseFormat json",
    (ask.presencePenalty ?? 0) !== 0 && "presencePenalty",
    (ask.frequencyPenalty ?? 0) !== 0 && "frequencyPenalty",
  ].find((item) => item !== false);
  if (refused !== undefined) throw inputError(`${refused}: not supported by this model; remove it`, { key: refused });
  return {
    prompt: { kind: "messages", messages: ask.prompt.map(messageOf) },
    sampling: {
      ...samplingOfFields("ai-sdk", ask),
      maxTokens: ask.maxOutputTokens ?? defaultMaxTokens,
      ...(ask.stopSequences !== undefined && { stop: ask.stopSequences }),
    },
    random: randomFromSeed(ask.seed ?? randomUUID()).state(),
    ...(signal && { signal }),
  };
}

function messageOf({ role, content }: AiSdkAsk["prompt"][number]): ChatMessage {
  if (role === "tool") throw inputError("this model does not support tool results");
  if (typeof content === "string") return { role, content };
  const texts = content.flatMap(({ type, text }) => {
    // Reasoning does not go back into the history.
    if (type === "reasoning") return [];
    if (type !== "text" || text === undefined) throw inputError(`expected message parts of type text, got ${type}`);
    return [text];
  });
  return { role, content: texts.join("") };
}

const unifiedReasons = { stop: "stop", length: "length", refusal: "content-filter", unknown: "other" } as const;

function endOf({ finishReason, usage }: Completion): AiSdkEnd {
  const { promptTokens, cachedTokens, cacheWriteTokens, completionTokens, reasoningTokens } = usage;
  return {
    finishReason: { unified: unifiedReasons[finishReason], raw: finishReason },
    usage: {
      inputTokens: {
        total: promptTokens,
        noCache: promptTokens - (cachedTokens ?? 0) - (cacheWriteTokens ?? 0),
        cacheRead: cachedTokens,
        cacheWrite: cacheWriteTokens,
      },
      outputTokens: {
        total: completionTokens,
        text: completionTokens - (reasoningTokens ?? 0),
        reasoning: reasoningTokens,
      },
    },
  };
}

/** The SDK recognises an abort by the signal's reason. */
function reasonOf(error: unknown, { abortSignal }: AiSdkAsk): unknown {
  return abortSignal?.aborted ? abortSignal.reason : error;
}
