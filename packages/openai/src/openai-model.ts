import { setTimeout as wait } from "node:timers/promises";
import {
  LaconicError,
  randomFromState,
  tokenCost,
  type Completion,
  type CompletionRequest,
  type LanguageModel,
  type Prompt,
  type TokenPrice,
} from "@laconic/core";
import OpenAI from "openai";
import { CompletionCache, type CacheOptions } from "./completion-cache.ts";
import { countTokens, guessTokens } from "./count-tokens.ts";
import { DamagedReply, guardedFetch, readReplyBody } from "./guarded-fetch.ts";
import { Limiter } from "./limiter.ts";
import { publicPrices } from "./prices.ts";
import { readReply, type ServerReply } from "./server-reply.ts";
import { backoffMs, remedyFor, type Failure, type Remedy } from "./retry-policy.ts";
import { Secret } from "./secret.ts";
import { SpendAccount } from "./spend-account.ts";

export interface OpenAiModelOptions {
  readonly model: string;
  /** Default `https://api.openai.com/v1`. */
  readonly baseUrl?: string;
  /** Default: the environment variable `OPENAI_API_KEY`; servers without keys take any. */
  readonly apiKey?: string;
  /** Allows `http:` to another machine than this one. */
  readonly insecure?: boolean;
  /** Milliseconds for a completion with all its attempts. Default 10 minutes. */
  readonly deadlineMs?: number;
  /** Attempts of a completion. Default 8. */
  readonly attempts?: number;
  /** Shared by models of the same server and key. */
  readonly limiter?: Limiter;
  /** Shared by models that one budget pays for. */
  readonly account?: SpendAccount;
  /** US dollars per million tokens. Default: the dated table, where it has the model. */
  readonly price?: TokenPrice;
  /** Keeps successes on disk. Leave it out for a policy in training. */
  readonly cache?: CacheOptions;
  /** Steps behind the server's weights, where it serves a policy. Default 0. */
  readonly weightVersion?: number;
  /** Sends `top_k` and `min_p`, which servers such as vLLM take; OpenAI refuses them. Default false. */
  readonly extraSampling?: boolean;
  /** The name of the ceiling: newer models of OpenAI know `max_completion_tokens` alone. Default `max_tokens`. */
  readonly maxTokensField?: "max_tokens" | "max_completion_tokens";
  /**
   * Asks for token ids and log-probs, as vLLM and `laconic serve` give them (`return_token_ids`): completions at temperature 1 or
   * 0 then have a trace. OpenAI refuses the field. Default false.
   */
  readonly trace?: boolean;
  /** Sends a seed that follows from the request's random stream. Default true. */
  readonly seed?: boolean;
  /** Hears of every attempt that failed, and of the cache. */
  readonly onEvent?: (event: ApiEvent) => void;
}

/** Something that happened on the way to a completion. */
export type ApiEvent =
  | { readonly kind: "retry"; readonly attempt: number; readonly waitMs: number; readonly reason: string }
  | { readonly kind: "cached" }
  /** The server counts tokens otherwise than the model's own encoding does, by more than a tenth. */
  | { readonly kind: "usage-differs"; readonly server: number; readonly counted: number };

/** A model behind an API; what it costs and how many it asks at a time can be seen. */
export interface OpenAiModel extends LanguageModel {
  readonly account: SpendAccount;
  readonly limiter: Limiter;
}

const limits = { bodyBytes: 16 << 20, idleMs: 60_000 } as const;

/**
 * A language model behind any OpenAI-compatible server.
 * `complete` throws LaconicError `api_refused`, `api_unavailable`, `reply_malformed`, `budget_refused`, `aborted`.
 * @throws LaconicError `config_invalid` for an address that would show the key, `budget_refused` for a cap without a price
 */
export function openAiModel(options: OpenAiModelOptions): OpenAiModel {
  const { model, baseUrl = "https://api.openai.com/v1", insecure = false } = options;
  const {
    deadlineMs = 600_000,
    attempts = 8,
    limiter = new Limiter(),
    account = new SpendAccount(),
    weightVersion = 0,
  } = options;
  checkAddress(baseUrl, insecure);
  const price = options.price ?? publicPrices[model] ?? null;
  if (account.maxUsd !== null && !price)
    throw new LaconicError(
      "budget_refused",
      `a spend cap needs the price of ${model}, which is not known; give \`price\``,
      { model },
    );
  const key = new Secret(options.apiKey ?? process.env["OPENAI_API_KEY"] ?? "none");
  const client = new OpenAI({
    apiKey: key.reveal(),
    baseURL: baseUrl,
    maxRetries: 0,
    logLevel: "off",
    timeout: deadlineMs,
    fetch: guardedFetch(limits),
  });
  const cache = options.cache ? new CompletionCache(options.cache) : null;
  const hear = options.onEvent ?? (() => undefined);

  const ask = async (request: CompletionRequest, body: Body): Promise<Completion> => {
    const deadline = untilDeadline(deadlineMs, request.signal);
    try {
      return await askUntil(request, body, deadline);
    } finally {
      deadline.done();
    }
  };

  const askUntil = async (request: CompletionRequest, body: Body, deadline: Deadline): Promise<Completion> => {
    const { signal } = deadline;
    const promptText = textOf(request.prompt);
    const started = performance.now();
    const mostUsd = price
      ? tokenCost(price, (await countTokens(model, promptText)) ?? promptText.length, request.sampling.maxTokens)
      : 0;
    let damaged = 0;
    for (let attempt = 1; ; attempt++) {
      const settle = account.reserve(mostUsd);
      let outcome: "done" | "crowded" | "failed" = "failed";
      try {
        await limiter.enter(signal);
      } catch (waiting) {
        settle(0);
        throw endOf(waiting, request.signal, deadline, deadlineMs);
      }
      let failed: { readonly error: unknown; readonly failure: Failure; readonly remedy: Remedy };
      try {
        const reply = await post(client, body, signal);
        outcome = "done";
        // What servers report is of temperature 1; at another it is no log-prob of what was sampled.
        const traced = [0, 1].includes(request.sampling.temperature) ? reply : { ...reply, trace: null };
        const completion = await completionOf(traced, model, promptText, weightVersion, hear);
        settle(price ? tokenCost(price, completion.usage.promptTokens, completion.usage.completionTokens) : 0);
        return completion;
      } catch (caught) {
        const failure = failureOf(caught);
        const remedy = remedyFor(failure, performance.timeOrigin + performance.now());
        if (remedy.kind === "retry" && remedy.crowded) outcome = "crowded";
        failed = { error: caught, failure, remedy };
      } finally {
        limiter.leave(outcome);
      }
      const { error, failure, remedy } = failed;
      // An attempt whose end is not known may have been answered: it is charged in full.
      settle(failure.status === undefined ? undefined : 0);
      if (signal.aborted) throw endOf(error, request.signal, deadline, deadlineMs);
      const again = remedy.kind === "retry" || (remedy.kind === "retry-once" && damaged++ === 0);
      if (!again || attempt >= attempts) throw errorOf(error, failure, remedy.kind, attempt, key, model);
      const asked = remedy.kind === "retry" ? (remedy.afterMs ?? 0) : 0;
      const waitMs = Math.max(
        backoffMs(attempt, randomFromState(request.random).split(`retry:${attempt}`).uniform()),
        asked,
      );
      if (performance.now() - started + waitMs > deadlineMs)
        throw errorOf(error, failure, "retry", attempt, key, model);
      hear({ kind: "retry", attempt, waitMs, reason: key.redact(reasonOf(error, failure)) });
      await wait(waitMs, undefined, { signal }).catch((stopped: unknown) => {
        throw endOf(stopped, request.signal, deadline, deadlineMs);
      });
    }
  };

  return {
    id: model,
    account,
    limiter,
    async complete(request) {
      if (request.signal?.aborted) throw aborted(request.signal);
      const body = bodyOf(request, options);
      if (!cache) return ask(request, body);
      const cacheKey = CompletionCache.keyOf([baseUrl, model, weightVersion, body, request.random]);
      const held = await cache.get(cacheKey);
      if (held) {
        hear({ kind: "cached" });
        return held;
      }
      const completion = await ask(request, body);
      await cache.put(cacheKey, completion);
      return completion;
    },
  };
}

function checkAddress(baseUrl: string, insecure: boolean): void {
  let url: URL;
  try {
    url = new URL(baseUrl);
  } catch (error) {
    throw new LaconicError("config_invalid", `baseUrl ${baseUrl} is no address`, { baseUrl }, error);
  }
  if (url.username !== "" || url.password !== "")
    throw new LaconicError("config_invalid", "baseUrl holds a name or a password; give apiKey instead");
  const own = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  if (url.protocol !== "https:" && !own && !insecure)
    throw new LaconicError(
      "config_invalid",
      `${url.origin} would get the key unencrypted; use https, or insecure: true`,
      { baseUrl },
    );
}

type Body = { readonly kind: "chat" | "text"; readonly fields: Record<string, unknown> };

function bodyOf({ prompt, sampling, random }: CompletionRequest, options: OpenAiModelOptions): Body {
  const { temperature, topP, topK, minP, maxTokens, stop } = sampling;
  const { extraSampling = false, maxTokensField = "max_tokens", seed = true, trace = false, model } = options;
  if (!extraSampling && (topK !== undefined || minP !== undefined))
    throw new LaconicError(
      "config_invalid",
      "topK and minP are not part of OpenAI's interface; set extraSampling for a server that takes them",
    );
  const fields = {
    model,
    temperature,
    [prompt.kind === "messages" ? maxTokensField : "max_tokens"]: maxTokens,
    ...(topP !== undefined && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
    ...(minP !== undefined && { min_p: minP }),
    ...(stop && stop.length > 0 && { stop }),
    ...(trace && { return_token_ids: true, logprobs: prompt.kind === "messages" ? true : 0 }),
    ...(seed && { seed: randomFromState(random).integer(2 ** 31 - 1) }),
  };
  if (prompt.kind === "messages") return { kind: "chat", fields: { ...fields, messages: prompt.messages } };
  return { kind: "text", fields: { ...fields, prompt: prompt.kind === "text" ? prompt.text : prompt.tokens } };
}

function textOf(prompt: Prompt): string {
  if (prompt.kind === "text") return prompt.text;
  return prompt.kind === "messages"
    ? prompt.messages.map(({ content }) => content).join("\n")
    : prompt.tokens.join(" ");
}

async function post(client: OpenAI, { kind, fields }: Body, signal: AbortSignal): Promise<ServerReply> {
  const path = kind === "chat" ? "/chat/completions" : "/completions";
  const response = await client.post(path, { body: fields, signal }).asResponse();
  const value = await readReplyBody(response, limits);
  const reply = readReply(value, kind);
  if (reply) return reply;
  throw new DamagedReply("a success that is no completion", JSON.stringify(value));
}

async function completionOf(
  { text, finishReason, usage, trace }: ServerReply,
  model: string,
  promptText: string,
  weightVersion: number,
  hear: (event: ApiEvent) => void,
): Promise<Completion> {
  const counted = await countTokens(model, text);
  if (usage && counted !== null && Math.abs(usage.completionTokens - counted) > Math.max(4, 0.1 * counted))
    hear({ kind: "usage-differs", server: usage.completionTokens, counted });
  const own = {
    promptTokens: (await countTokens(model, promptText)) ?? guessTokens(promptText),
    completionTokens: counted ?? guessTokens(text),
    counted: counted === null ? ("estimate" as const) : ("tokenizer" as const),
  };
  return {
    text,
    finishReason,
    usage: usage ? { ...usage, counted: "server" } : own,
    model: { id: model, weightVersion },
    ...(trace && { trace }),
  };
}

/** What is known of a failure, from the SDK's errors or ours. */
function failureOf(error: unknown): Failure {
  const cause = error instanceof Error ? error.cause : undefined;
  if (error instanceof DamagedReply || cause instanceof DamagedReply) return { malformed: true };
  if (!(error instanceof OpenAI.APIError) || error.status === undefined) return {};
  const retryAfter = error.headers?.get("retry-after") ?? undefined;
  const code = [error.code, error.type, error.message].filter((part) => typeof part === "string").join(" ");
  return { status: error.status as number, code, ...(retryAfter !== undefined && { retryAfter }) };
}

function reasonOf(error: unknown, { status }: Failure): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : "";
  const message = error instanceof Error ? error.message : String(error);
  return `${status === undefined ? "" : `${status}: `}${cause === "" ? message : cause}`.slice(0, 500);
}

function errorOf(
  error: unknown,
  failure: Failure,
  kind: string,
  attempt: number,
  key: Secret,
  model: string,
): LaconicError {
  const reason = key.redact(reasonOf(error, failure));
  const detail = { model, attempts: attempt, ...(failure.status !== undefined && { status: failure.status }) };
  if (kind === "spent") return new LaconicError("budget_refused", `${model}: the account is spent (${reason})`, detail);
  if (kind === "refused") return new LaconicError("api_refused", `${model}: ${reason}`, detail);
  if (failure.malformed) {
    const source = error instanceof DamagedReply ? error : (error as Error).cause;
    const body = source instanceof DamagedReply ? key.redact(source.body) : "";
    return new LaconicError(
      "reply_malformed",
      `${model}: ${reason}; it began ${JSON.stringify(body.slice(0, 120))}`,
      detail,
    );
  }
  return new LaconicError("api_unavailable", `${model}: no answer after ${attempt} attempts (${reason})`, detail);
}

/** A signal for all attempts of a completion; cheaper than the platform's combined ones, of which each call would make two. */
interface Deadline {
  readonly signal: AbortSignal;
  /** Whether time ran out. */
  isOver(): boolean;
  /** Lets go of timer and listener. */
  done(): void;
}

function untilDeadline(deadlineMs: number, own: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let over = false;
  const timer = setTimeout(
    () => {
      over = true;
      controller.abort();
    },
    Math.min(deadlineMs, 2 ** 31 - 1),
  );
  const abort = (): void => controller.abort(own?.reason);
  own?.addEventListener("abort", abort, { once: true });
  return {
    signal: controller.signal,
    isOver: () => over,
    done: () => {
      clearTimeout(timer);
      own?.removeEventListener("abort", abort);
    },
  };
}

function endOf(error: unknown, own: AbortSignal | undefined, deadline: Deadline, deadlineMs: number): LaconicError {
  if (own?.aborted) return aborted(own);
  if (deadline.isOver())
    return new LaconicError("api_unavailable", `no answer within ${deadlineMs} ms`, { deadlineMs });
  return LaconicError.is(error) ? error : new LaconicError("api_unavailable", "the request ended", {}, error);
}

function aborted(signal: AbortSignal): LaconicError {
  return new LaconicError("aborted", "the request was aborted", {}, signal.reason);
}
