/*
 * Types of the AI SDK's language models that completions need. `LanguageModelV2`, `V3` and `V4` of `@ai-sdk/provider`
 * are assignable. They are copied here so that no version of the SDK has to be installed.
 */

/** Language model of the AI SDK. */
export interface AiSdkModel {
  readonly specificationVersion: "v2" | "v3" | "v4";
  readonly provider: string;
  readonly modelId: string;
  doGenerate(request: AiSdkRequest): PromiseLike<AiSdkReply>;
}

export interface AiSdkRequest {
  prompt: (
    | { role: "system"; content: string }
    | { role: "user" | "assistant"; content: { type: "text"; text: string }[] }
  )[];
  temperature: number;
  topP?: number;
  topK?: number;
  maxOutputTokens: number;
  stopSequences?: string[];
  seed?: number;
  abortSignal: AbortSignal;
}

/** Reply of a provider. V2 has plain strings and numbers where later versions have objects. */
export interface AiSdkReply {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly finishReason: string | { readonly unified: string; readonly raw?: string | undefined };
  readonly usage: object;
  readonly warnings: readonly {
    readonly type: string;
    readonly setting?: unknown;
    readonly feature?: string;
    readonly details?: string | undefined;
  }[];
}

type AskNumber = "temperature" | "topP" | "topK" | "maxOutputTokens" | "presencePenalty" | "frequencyPenalty" | "seed";

export interface AiSdkAsk extends Readonly<Partial<Record<AskNumber, number | undefined>>> {
  readonly prompt: readonly {
    readonly role: "system" | "user" | "assistant" | "tool";
    readonly content: string | readonly { readonly type: string; readonly text?: string }[];
  }[];
  readonly stopSequences?: readonly string[] | undefined;
  readonly responseFormat?: { readonly type: "text" | "json" } | undefined;
  readonly tools?: readonly unknown[] | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

/** A Laconic model as a `LanguageModelV3`. */
export interface LaconicAiSdkModel {
  readonly specificationVersion: "v3";
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls: Record<string, RegExp[]>;
  doGenerate(ask: AiSdkAsk): Promise<AiSdkEnd & { content: { type: "text"; text: string }[]; warnings: never[] }>;
  doStream(ask: AiSdkAsk): Promise<{ stream: ReadableStream<AiSdkStreamPart> }>;
}

export interface AiSdkEnd {
  finishReason: { unified: "stop" | "length" | "content-filter" | "other"; raw: string };
  usage: {
    inputTokens: Record<"total" | "noCache", number> & Record<"cacheRead" | "cacheWrite", number | undefined>;
    outputTokens: Record<"total" | "text", number> & Record<"reasoning", number | undefined>;
  };
}

export type AiSdkStreamPart =
  | { type: "stream-start"; warnings: never[] }
  | { type: "text-start" | "text-end"; id: string }
  | { type: "text-delta"; id: string; delta: string }
  | ({ type: "finish" } & AiSdkEnd)
  | { type: "error"; error: unknown };
