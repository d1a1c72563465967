import { randomUUID } from "node:crypto";
import {
  LaconicError,
  randomFromSeed,
  type ChatMessage,
  type Completion,
  type CompletionRequest,
  type LanguageModel,
} from "@laconic/core";
import { samplingOfFields, streamText, type StreamTokenizer } from "@laconic/core/backends";
import { optionCheck } from "@laconic/core/checks";
import type { AiSdkAsk, AiSdkEnd, AiSdkStreamPart, LaconicAiSdkModel } from "./sdk-types.ts";

/** What the AI SDK is told of a model. */
export interface ToAiSdkOptions {
  /** Reads the tokens of a policy as they are drawn; without it a stream has its text in one piece, at the end. */
  readonly tokenizer?: StreamTokenizer;
  /** Most tokens of a reply whose caller does not say. Default 1,024. */
  readonly defaultMaxTokens?: number;
  /** As the SDK shows it. Default `laconic`. */
  readonly provider?: string;
}

/**
 * Any language model as one of the AI SDK's (`LanguageModelV3`), for its `generateText`, `streamText`, agents and middleware:
 * a trained policy, a team behind `LanguageModel`. A call without a seed is drawn by a random one, and without a temperature at 1.
 * Its methods throw LaconicError `input_invalid` for what a text model has not: tools, files, JSON, penalties.
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
      // What cannot be asked is refused by the call, not in the stream.
      return Promise.resolve()
        .then(() => partsOf(model, ask, requestOf(ask, defaultMaxTokens, signal), tokenizer))
        .then((parts) => ({ stream: readableOf(parts, left) }));
    },
  };
}

const checkOptions = optionCheck<ToAiSdkOptions>()("toAiSdk", "tokenizer defaultMaxTokens provider");

/** Reads nothing, so that all text comes with the completion. */
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
  ].find((each) => each !== false);
  if (refused !== undefined)
    throw new LaconicError("input_invalid", `${refused} cannot be asked of this model; leave it out`, { key: refused });
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
  if (role === "tool") throw new LaconicError("input_invalid", "this model takes no results of tools");
  if (typeof content === "string") return { role, content };
  const texts = content.flatMap(({ type, text }) => {
    // What a model thought is no part of its turn in a history.
    if (type === "reasoning") return [];
    if (type !== "text" || text === undefined)
      throw new LaconicError("input_invalid", `this model takes text; a message holds a part of type ${type}`);
    return [text];
  });
  return { role, content: texts.join("") };
}

/** The SDK's name of an end. */
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

/** The SDK knows an abort by the signal's own reason. */
function reasonOf(error: unknown, { abortSignal }: AiSdkAsk): unknown {
  return abortSignal?.aborted ? abortSignal.reason : error;
}
