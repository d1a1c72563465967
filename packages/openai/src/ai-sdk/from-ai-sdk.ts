import { LaconicError, randomFromState, type CompletionRequest } from "@laconic/core";
import { checkSampling, samplingFields, supportedSampling, type SamplingSupport } from "@laconic/core/backends";
import { optionCheck } from "@laconic/core/checks";
import { readFinishReason } from "@laconic/core/wire";
import { apiModel, apiModelKeys, type ApiModelOptions, type OpenAiModel } from "../api-model.ts";
import { Secret } from "../secret.ts";
import { readUsage } from "../read-usage.ts";
import type { ServerReply } from "../server-reply.ts";
import { DamagedReply } from "../guarded-fetch.ts";
import { readContent } from "../reply-content.ts";
import { understood } from "./sdk-error.ts";
import type { AiSdkModel, AiSdkReply, AiSdkRequest } from "./sdk-types.ts";

/** What a model of the AI SDK gets beside itself: limits and prices. */
export interface FromAiSdkOptions extends ApiModelOptions {
  /** Hears once of every setting that the provider says it leaves out of account, such as a seed. */
  readonly onIgnored?: (setting: string, details: string) => void;
}

/**
 * A language model of any provider of the AI SDK (`anthropic("...")`, `google("...")`, a `LanguageModelV2`, `V3` or `V4`) as one
 * here, with this package's retries, spend account and limits; the provider's own retries are not in between. It takes
 * chats only, and gives no log-probs.
 * `complete` throws LaconicError `api_refused`, `api_unavailable`, `reply_malformed`, `budget_refused`, `aborted`, and
 * `config_invalid` for a prompt that is no chat, and for sampling that the AI SDK has not.
 * @throws LaconicError `budget_refused` for a cap without a price
 */
export function fromAiSdk(model: AiSdkModel, options: FromAiSdkOptions = {}): OpenAiModel {
  checkOptions(options);
  const reported = new Set<string>();
  return apiModel(
    {
      model: model.modelId,
      place: `ai-sdk:${model.provider}`,
      supports: aiSdkSampling.supports,
      // The provider keeps its key to itself.
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

type Body = Omit<AiSdkRequest, "abortSignal">;

function bodyOf({ prompt, sampling, random }: CompletionRequest, seed: boolean): Body {
  const { temperature, maxTokens, stop = [] } = sampling;
  if (prompt.kind !== "messages")
    throw new LaconicError("config_invalid", "models of the AI SDK take chats; give the prompt as messages");
  checkSampling(sampling, aiSdkSampling);
  return {
    prompt: prompt.messages.map(({ role, content }) =>
      role === "system"
        ? { role, content }
        : // Answers of tools have no ids here, which the SDK's own role needs.
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
  // Providers call `other` what they do not know.
  const reasons = [unified, raw].map((reason) => readFinishReason(reason));
  const finish = reasons.find((reason) => reason !== "unknown") ?? "unknown";
  if (finish === "broken") throw new DamagedReply(`a reply that broke off (${raw ?? unified})`, text);
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
