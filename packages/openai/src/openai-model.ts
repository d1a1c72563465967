import { supportedSampling, checkSampling, samplingFields } from "@laconic/core/backends";
import { optionCheck } from "@laconic/core/checks";
import { serverAddress } from "@laconic/core/wire";
import { type CompletionRequest, configError, randomFromState } from "@laconic/core";
import type OpenAI from "openai";
import { apiModel, apiModelKeys, type ApiModelOptions, type OpenAiModel } from "./api-model.ts";
import { parseErrorBody } from "./failure.ts";
import { DamagedReply, FailedReply, guardedFetch, readReplyBody } from "./guarded-fetch.ts";
import { installedPackage } from "./installed-package.ts";
import { fieldsOf } from "./reply-content.ts";
import { Secret } from "./secret.ts";
import { readReply, type ServerReply } from "./server-reply.ts";

/** Options of `openAiModel`. */
export interface OpenAiModelOptions extends ApiModelOptions {
  readonly model: string;
  /** Default: `OPENAI_BASE_URL`, then `https://api.openai.com/v1`. */
  readonly baseUrl?: string;
  /** Default: `OPENAI_API_KEY`. Servers without keys accept any. */
  readonly apiKey?: string;
  /** Allows `http:` to another machine. */
  readonly insecure?: boolean;
  /** Must not follow redirects. Default: the platform's. */
  readonly fetch?: typeof fetch;
  /** Sends `top_k` and `min_p`, which OpenAI rejects. Default false. */
  readonly extraSampling?: boolean;
  /** OpenAI's newer models require `max_completion_tokens`. Default `max_tokens`. */
  readonly maxTokensField?: "max_tokens" | "max_completion_tokens";
  /**
   * Requests token ids and log-probs (`return_token_ids` of vLLM and `laconic serve`), for a trace at temperature 1 or
   * 0. OpenAI rejects the field. Default false.
   */
  readonly trace?: boolean;
}

const checkOptions = optionCheck<OpenAiModelOptions>()(
  "openAiModel",
  `${apiModelKeys} model baseUrl apiKey insecure fetch extraSampling maxTokensField trace`,
);

const limits = { bodyBytes: 16 << 20, idleMs: 60_000 } as const;

/**
 * Language model behind an OpenAI-compatible server. `complete` throws LaconicError `api_refused`, `api_unavailable`,
 * `reply_malformed`, `budget_refused`, `aborted`; `run_unwritable` if the account's journal cannot be written;
 * `config_invalid` without the package `openai`.
 * @throws LaconicError `config_invalid` for an address that would expose the key, `budget_refused` for a cap without a
 * price
 */
export function openAiModel(options: OpenAiModelOptions): OpenAiModel {
  checkOptions(options);
  const { model, insecure = false, deadlineMs = 600_000 } = options;
  const baseUrl = options.baseUrl ?? (process.env["OPENAI_BASE_URL"]?.trim() || "https://api.openai.com/v1");
  serverAddress(baseUrl, "baseUrl", { allowed: insecure, option: "insecure: true" });
  const key = new Secret(options.apiKey ?? (process.env["OPENAI_API_KEY"] || "none"));
  let client: Promise<OpenAI> | undefined;
  const openClient = async (): Promise<OpenAI> => {
    const sdk = await installedPackage("openai", () => import("openai"));
    if (!sdk) throw configError("the package openai is not installed: npm install openai@6");
    return new sdk.default({
      apiKey: key.reveal(),
      baseURL: baseUrl,
      maxRetries: 0,
      logLevel: "off",
      timeout: deadlineMs,
      fetch: guardedFetch(limits, options.fetch),
    });
  };
  return apiModel(
    {
      model,
      key,
      address: baseUrl,
      supports: supportedSampling(options.extraSampling ? "openai-extended" : "openai"),
      bodyOf: (request) => bodyOf(request, options),
      post: async (body, signal) => post(await (client ??= openClient()), body, signal),
    },
    options,
  );
}

async function post(client: OpenAI, { kind, fields }: Body, signal: AbortSignal): Promise<ServerReply> {
  const path = kind === "chat" ? "/chat/completions" : "/completions";
  const response = await client.post(path, { body: fields, signal }).asResponse();
  const value = await readReplyBody(response, limits);
  const reply = readReply(value, kind);
  if (!("fault" in reply)) return reply;
  const text = JSON.stringify(value);
  const failed = failureIn(value);
  if (failed) throw new FailedReply(failed.status, response.headers, JSON.stringify(failed.body));
  throw new DamagedReply(`status ${response.status} with ${reply.fault}`, text);
}

/** Finds an error inside a success, as some gateways send it. */
function failureIn(value: object): { readonly status: number; readonly body: object } | null {
  for (const body of [value, ...listWithin(fieldsOf(value)?.["choices"])]) {
    const status = parseErrorBody(body)?.names.find((name) => /^[45]\d\d$/u.test(name));
    // Tokens that the reply reports may be billed.
    if (status !== undefined) return { status: Number(status), body: body === value ? value : { ...value, ...body } };
  }
  return null;
}

function listWithin(value: unknown): readonly object[] {
  return (Array.isArray(value) ? value : []).filter((item) => fieldsOf(item) !== null);
}

interface Body {
  readonly kind: "chat" | "text";
  readonly fields: Record<string, unknown>;
}

/** @throws LaconicError `config_invalid` for unsupported parameters */
function bodyOf({ prompt, sampling, random, scorePrompt }: CompletionRequest, options: OpenAiModelOptions): Body {
  const { temperature, maxTokens, stop } = sampling;
  const { extraSampling = false, maxTokensField = "max_tokens", seed = true, trace = false, model } = options;
  const isChat = prompt.kind === "messages";
  const text = prompt.kind === "tokens" ? prompt.tokens : prompt.kind === "text" ? prompt.text : "";
  if (scorePrompt) {
    if (isChat) throw configError("log-probs of chat prompts are not available; send a text or tokens");
    // Some servers reject 0.
    return { kind: "text", fields: { model, temperature: 0, max_tokens: 1, echo: true, logprobs: 1, prompt: text } };
  }
  const backEnd = extraSampling ? "openai-extended" : "openai";
  const advice = extraSampling ? "leave it out" : "set extraSampling for a server that does";
  checkSampling(sampling, { name: "OpenAI's interface", supports: supportedSampling(backEnd), advice });
  const fields = {
    model,
    temperature, // first, because replies are stored by a hash of the text
    [isChat ? maxTokensField : "max_tokens"]: maxTokens,
    ...samplingFields(backEnd, sampling, "asked"),
    ...(stop && stop.length > 0 && { stop }),
    ...(trace && { return_token_ids: true, logprobs: isChat ? true : 0 }),
    ...(seed && { seed: randomFromState(random).integer(2 ** 31 - 1) }),
  };
  if (isChat) return { kind: "chat", fields: { ...fields, messages: prompt.messages } };
  return { kind: "text", fields: { ...fields, prompt: text } };
}
