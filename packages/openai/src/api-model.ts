import { setTimeout as wait } from "node:timers/promises";
import {
  backoffMs,
  LaconicError,
  randomFromState,
  tokenCost,
  type Completion,
  type CompletionRequest,
  type LanguageModel,
  type TokenPrice,
} from "@laconic/core";
import { CallBound, countReply, maxPromptTokens } from "./call-tokens.ts";
import { CompletionCache, type CacheOptions } from "./completion-cache.ts";
import { countTokens } from "./count-tokens.ts";
import { untilDeadline, type Deadline } from "./deadline.ts";
import { failedAttempt, type FailedAttempt } from "./failure.ts";
import { Limiter } from "./limiter.ts";
import { publicPrices } from "./prices.ts";
import type { Secret } from "./secret.ts";
import type { ServerReply } from "./server-reply.ts";
import { SingleFlight } from "./single-flight.ts";
import { SpendAccount } from "./spend-account.ts";

/** How a model behind any API is asked: retries, spending, requests at a time, cache. */
export interface ApiModelOptions {
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
  /** Keeps successes on disk; the same request in flight is sent once. Leave it out for a policy in training. */
  readonly cache?: CacheOptions;
  /** Steps behind the server's weights, where it serves a policy. Default 0. */
  readonly weightVersion?: number;
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

/** A server that completes: how its requests are written and sent. */
export interface ApiServer<Body> {
  /** Names prices, encodings and completions. */
  readonly model: string;
  /** Shown by no error. */
  readonly key: Secret;
  /** Where it is; completions of another place are not taken from the cache. */
  readonly place: string;
  /** All that decides a reply, as plain data. @throws LaconicError `config_invalid`, `input_invalid` for what it cannot be asked */
  bodyOf(request: CompletionRequest): Body;
  /** One attempt. Throws anything: a LaconicError ends the completion, what else is understood by `failedAttempt`. */
  post(body: Body, signal: AbortSignal): Promise<ServerReply>;
}

/**
 * A language model that asks a server until it answers.
 * `complete` throws LaconicError `api_refused`, `api_unavailable`, `reply_malformed`, `budget_refused`, `aborted`; `run_unwritable` where the
 * account's journal cannot be written.
 * @throws LaconicError `budget_refused` for a cap without a price
 */
export function apiModel<Body>(server: ApiServer<Body>, options: ApiModelOptions): OpenAiModel {
  const { model, key, place } = server;
  const {
    deadlineMs = 600_000,
    attempts = 8,
    limiter = new Limiter(),
    account = new SpendAccount(),
    weightVersion = 0,
  } = options;
  const price = options.price ?? publicPrices[model] ?? null;
  if (account.maxUsd !== null && !price)
    throw new LaconicError(
      "budget_refused",
      `a spend cap needs the price of ${model}, which is not known; give \`price\``,
      { model },
    );
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
    const asked = { prompt: await maxPromptTokens(model, prompt), completion: sampling.maxTokens };
    const costOf = (tokens: typeof asked): number => (price ? tokenCost(price, tokens.prompt, tokens.completion) : 0);
    let damaged = 0;
    for (let attempt = 1; ; attempt++) {
      const { begin, settle } = account.reserve(costOf(bound.most(asked)));
      let outcome: "done" | "crowded" | "failed" = "failed";
      try {
        await limiter.enter(signal);
      } catch (waiting) {
        settle(0);
        throw endOf(waiting);
      }
      let failed: FailedAttempt;
      try {
        await begin();
        const reply = await server.post(body, signal);
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
      const body = server.bodyOf(request);
      if (!cache) return ask(request, body);
      const { signal: own, ...rest } = request;
      const cacheKey = CompletionCache.keyOf([place, model, weightVersion, body, request.random]);
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

async function compareCounts(
  { text, hidden, usage }: ServerReply,
  model: string,
  hear: (event: ApiEvent) => void,
): Promise<void> {
  const counted = await countTokens(model, text + hidden);
  if (usage && counted !== null && Math.abs(usage.completionTokens - counted) > Math.max(4, 0.1 * counted))
    hear({ kind: "usage-differs", server: usage.completionTokens, counted });
}
