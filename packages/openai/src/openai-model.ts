import { setTimeout as wait } from "node:timers/promises";
import {
  LaconicError,
  randomFromState,
  tokenCost,
  type Completion,
  type CompletionRequest,
  type LanguageModel,
  type TokenPrice,
} from "@laconic/core";
import OpenAI from "openai";
import { CallBound, countReply, mostPromptTokens } from "./call-tokens.ts";
import { CompletionCache, type CacheOptions } from "./completion-cache.ts";
import { countTokens } from "./count-tokens.ts";
import { untilDeadline, type Deadline } from "./deadline.ts";
import { parseErrorBody } from "./error-body.ts";
import { failedAttempt, type FailedAttempt } from "./failure.ts";
import { DamagedReply, FailedReply, guardedFetch, readReplyBody } from "./guarded-fetch.ts";
import { Limiter } from "./limiter.ts";
import { publicPrices } from "./prices.ts";
import { bodyOf, checkAddress, type Body, type BodyOptions } from "./request-body.ts";
import { backoffMs } from "./retry-policy.ts";
import { Secret } from "./secret.ts";
import { readReply, type ServerReply } from "./server-reply.ts";
import { SingleFlight } from "./single-flight.ts";
import { SpendAccount } from "./spend-account.ts";

export interface OpenAiModelOptions extends BodyOptions {
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
  /** Sends the requests. Default: the platform's. It is asked to follow no redirect. */
  readonly fetch?: typeof fetch;
  /** Shared by models of the same server and key. */
  readonly limiter?: Limiter;
  /** Shared by models that one budget pays for. */
  readonly account?: SpendAccount;
  /** US dollars per million tokens. Default: the dated table, where it has the model. */
  readonly price?: TokenPrice;
  /** Keeps successes on disk; the same request in flight is sent once. Leave it out for a policy in training. */
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
  /** Answered from the cache, or by the same request of another that was in flight. */
  | { readonly kind: "cached" }
  /** A completion could not be kept, as on a full disk: told once, counted in `cacheFailures`. */
  | { readonly kind: "cache-failed"; readonly reason: string }
  /** The server wrote more than was asked for: told once. From here on as much more is set aside for each call. */
  | { readonly kind: "ceiling-ignored"; readonly maxTokens: number; readonly completionTokens: number }
  /** The server counts tokens otherwise than the model's own encoding does, by more than a tenth. */
  | { readonly kind: "usage-differs"; readonly server: number; readonly counted: number };

/** A model behind an API; what it costs and how many it asks at a time can be seen. */
export interface OpenAiModel extends LanguageModel {
  readonly account: SpendAccount;
  readonly limiter: Limiter;
  /** Completions that the cache could not keep, so far. */
  readonly cacheFailures: number;
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
    fetch: guardedFetch(limits, options.fetch),
  });
  const hear = options.onEvent ?? (() => undefined);
  const cache = options.cache
    ? new CompletionCache(options.cache, ({ message }) => hear({ kind: "cache-failed", reason: message }))
    : null;
  const flights = new SingleFlight<Completion>();
  const bound = new CallBound();
  let overlong = false;

  const ask = async (request: CompletionRequest, body: Body): Promise<Completion> => {
    const deadline = untilDeadline(deadlineMs, request.signal);
    try {
      return await askUntil(request, body, deadline);
    } finally {
      deadline.done();
    }
  };

  const askUntil = async (request: CompletionRequest, body: Body, { signal, endOf }: Deadline): Promise<Completion> => {
    const { prompt, sampling } = request;
    const started = performance.now();
    const asked = { prompt: await mostPromptTokens(model, prompt), completion: sampling.maxTokens };
    const costOf = (tokens: typeof asked): number => (price ? tokenCost(price, tokens.prompt, tokens.completion) : 0);
    let damaged = 0;
    for (let attempt = 1; ; attempt++) {
      const settle = account.reserve(costOf(bound.most(asked)));
      let outcome: "done" | "crowded" | "failed" = "failed";
      try {
        await limiter.enter(signal);
      } catch (waiting) {
        settle(0);
        throw endOf(waiting);
      }
      let failed: FailedAttempt;
      try {
        const reply = await post(client, body, signal);
        outcome = "done";
        const { usage, most } = await countReply(model, prompt, reply);
        settle(costOf(most));
        if (bound.learn(asked, usage) && !overlong) {
          overlong = true;
          const { completionTokens } = usage;
          hear({ kind: "ceiling-ignored", maxTokens: sampling.maxTokens, completionTokens });
        }
        await compareCounts(reply, model, hear);
        const { text, finishReason, trace } = reply;
        // What servers report is of temperature 1; at another it is no log-prob of what was sampled.
        const traced = trace && [0, 1].includes(sampling.temperature);
        return { text, finishReason, usage, model: { id: model, weightVersion }, ...(traced && { trace }) };
      } catch (caught) {
        failed = failedAttempt(caught, model, key, performance.timeOrigin + performance.now());
        if (failed.remedy.kind === "retry" && failed.remedy.crowded) outcome = "crowded";
        if (signal.aborted) {
          settle(failed.charged ? undefined : 0);
          throw endOf(caught);
        }
      } finally {
        limiter.leave(outcome);
      }
      const { remedy, charged, reason, toError } = failed;
      // An attempt whose end is not known may have been answered: it is charged in full.
      settle(charged ? undefined : 0);
      const again = remedy.kind === "retry" || (remedy.kind === "retry-once" && damaged++ === 0);
      // Those who were told to wait as long do not all come back at once.
      const waitMs =
        (remedy.kind === "retry" ? (remedy.afterMs ?? 0) : 0) +
        backoffMs(attempt, randomFromState(request.random).split(`retry:${attempt}`).uniform());
      if (!again || attempt >= attempts || performance.now() - started + waitMs > deadlineMs) throw toError(attempt);
      hear({ kind: "retry", attempt, waitMs, reason: key.redact(reason) });
      await wait(waitMs, undefined, { signal }).catch((stopped: unknown) => {
        throw endOf(stopped);
      });
    }
  };

  return {
    id: model,
    account,
    limiter,
    get cacheFailures() {
      return cache?.failures ?? 0;
    },
    async complete(request) {
      const body = bodyOf(request, options);
      if (!cache) return ask(request, body);
      const { signal: own, ...rest } = request;
      const cacheKey = CompletionCache.keyOf([baseUrl, model, weightVersion, body, request.random]);
      const { value, shared } = await flights.run(cacheKey, own, async (signal) => {
        const held = await cache.get(cacheKey);
        if (held) hear({ kind: "cached" });
        if (held) return held;
        const completion = await ask({ ...rest, signal }, body);
        await cache.put(cacheKey, completion);
        return completion;
      });
      if (shared) hear({ kind: "cached" });
      return value;
    },
  };
}

async function post(client: OpenAI, { kind, fields }: Body, signal: AbortSignal): Promise<ServerReply> {
  const path = kind === "chat" ? "/chat/completions" : "/completions";
  const response = await client.post(path, { body: fields, signal }).asResponse();
  const value = await readReplyBody(response, limits);
  const reply = readReply(value, kind);
  if (reply) return reply;
  const text = JSON.stringify(value);
  const status = errorStatusIn(value);
  if (status !== null) throw new FailedReply(status, response.headers, text);
  throw new DamagedReply("a success that is no completion", text);
}

/** The status in an error that came as a success, as gateways send them that began to answer too early. */
function errorStatusIn(value: object): number | null {
  const status = Number("error" in value ? parseErrorBody(value)?.names.find((name) => /^[45]\d\d$/u.test(name)) : NaN);
  return Number.isNaN(status) ? null : status;
}

async function compareCounts(
  { text, hidden, usage }: ServerReply,
  model: string,
  hear: (event: ApiEvent) => void,
): Promise<void> {
  const counted = await countTokens(model, text + hidden);
  if (usage && counted !== null && Math.abs(usage.completionTokens - counted) > Math.max(4, 0.1 * counted))
    hear({ kind: "usage-differs", server: usage.completionTokens, counted });
}
