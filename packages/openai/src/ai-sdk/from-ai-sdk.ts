import { type CompletionRequest, configError, LaconicError, randomFromState } from "@laconic/core";
import { checkSampling, samplingFields, supportedSampling, type SamplingSupport } from "@laconic/core/backends";
import { optionCheck } from "@laconic/core/checks";
import { readFinishReason } from "@laconic/core/wire";
import { apiModel, apiModelKeys, type ApiModelOptions, type OpenAiModel } from "../api-model.ts";
import { withFields } from "../failure.ts";
import { Secret } from "../secret.ts";
import { readUsage } from "../read-usage.ts";
import type { ServerReply } from "../server-reply.ts";
import { DamagedReply, FailedReply } from "../guarded-fetch.ts";
import { readContent } from "../reply-content.ts";
import type { AiSdkModel, AiSdkReply, AiSdkRequest } from "./sdk-types.ts";

/** Options of `fromAiSdk`. */
export interface FromAiSdkOptions extends ApiModelOptions {
  /** Called once for each setting that the provider ignores, such as a seed. */
  readonly onIgnored?: (setting: string, details: string) => void;
}

/**
 * Wraps a language model of the AI SDK (`LanguageModelV2`, `V3` or `V4`) as a `LanguageModel`. Retries, spend account
 * and limits are those of this package. Only chats are supported, and no log-probs. `complete` throws LaconicError
 * `api_refused`, `api_unavailable`, `reply_malformed`, `budget_refused`, `aborted`, and `config_invalid` for another
 * prompt or unsupported sampling.
 * @throws LaconicError `budget_refused` for a cap without a price
 */
export function fromAiSdk(model: AiSdkModel, options: FromAiSdkOptions = {}): OpenAiModel {
  checkOptions(options);
  const reported = new Set<string>();
  return apiModel(
    {
      model: model.modelId,
      address: `ai-sdk:${model.provider}`,
      supports: aiSdkSampling.supports,
      key: new Secret(""),
      bodyOf: (request) => bodyOf(request, options.seed ?? true),
      async post(body, abortSignal) {
        let reply: AiSdkReply;
        try {
          reply = await model.doGenerate({ ...body, abortSignal });
        } catch (error) {
          throw understood(error);
        }
        for (const { type, setting, feature, details } of reply.warnings) {
          const ignored = typeof setting === "string" ? setting : (feature ?? type);
          if (!type.startsWith("unsupported") || reported.has(ignored)) continue;
          reported.add(ignored);
          options.onIgnored?.(ignored, details ?? "");
        }
        return serverReply(reply);
      },
    },
    options,
  );
}

const checkOptions = optionCheck<FromAiSdkOptions>()("fromAiSdk", `${apiModelKeys} onIgnored`);

const aiSdkSampling: SamplingSupport = { name: "the AI SDK", supports: supportedSampling("ai-sdk") };

function bodyOf({ prompt, sampling, random }: CompletionRequest, seed: boolean): Omit<AiSdkRequest, "abortSignal"> {
  const { temperature, maxTokens, stop = [] } = sampling;
  if (prompt.kind !== "messages") throw configError("the AI SDK takes chat prompts only; pass messages");
  checkSampling(sampling, aiSdkSampling);
  return {
    prompt: prompt.messages.map(({ role, content }) =>
      role === "system"
        ? { role, content }
        : // The SDK's tool role needs call ids, which our messages do not have.
          { role: role === "tool" ? ("user" as const) : role, content: [{ type: "text", text: content }] },
    ),
    temperature,
    maxOutputTokens: maxTokens,
    ...samplingFields("ai-sdk", sampling, "asked"),
    ...(stop.length > 0 && { stopSequences: [...stop] }),
    ...(seed && { seed: randomFromState(random).integer(2 ** 31 - 1) }),
  };
}

function serverReply(reply: AiSdkReply): ServerReply {
  const { content, finishReason } = reply;
  const { text, hidden } = readContent(content) ?? { text: "", hidden: "" };
  const { unified, raw } = typeof finishReason === "string" ? { unified: finishReason } : finishReason;
  // Providers report unknown reasons as `other`.
  const reasons = [unified, raw].map(readFinishReason);
  const finish = reasons.find((reason) => reason !== "unknown") ?? "unknown";
  if (finish === "broken") throw new DamagedReply(`an incomplete reply (${raw ?? unified})`, text);
  return {
    text,
    hidden,
    finishReason: finish,
    ...(finish === "unknown" && { unknownReason: JSON.stringify(raw ?? unified).slice(0, 100) }),
    usage: readUsage(reply),
    trace: null,
    promptLogProbs: null,
  };
}

/** Marks the errors of every copy of the SDK. */
const [ofSdk, ofCall] = [Symbol.for("vercel.ai.error"), Symbol.for("vercel.ai.error.AI_APICallError")] as const;

/** SDK errors raised before a request was sent. After any other error, a reply may have been billed. */
const unsent: ReadonlySet<string> = new Set([
  "AI_InvalidArgumentError",
  "AI_InvalidPromptError",
  "AI_LoadAPIKeyError",
  "AI_LoadSettingError",
  "AI_NoSuchModelError",
  "AI_UnsupportedFunctionalityError",
]);

interface CallError extends Error {
  readonly statusCode?: number;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: string;
}

/** Translates errors of AI SDK providers; broken connections, aborts and foreign errors are unchanged. */
function understood(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (ofCall in error) {
    const { statusCode, responseHeaders = {}, responseBody } = error as CallError;
    if (statusCode === undefined) return error;
    const body = responseBody ?? error.message;
    if (statusCode >= 200 && statusCode < 300) return new DamagedReply(error.message, body);
    return new FailedReply(statusCode, withFields(new Headers(), responseHeaders), body);
  }
  if (!(ofSdk in error)) return error;
  const reason = `${error.name}: ${error.message}`.slice(0, 500);
  return unsent.has(error.name) ? new LaconicError("api_refused", reason, {}, error) : new DamagedReply(reason, "");
}
