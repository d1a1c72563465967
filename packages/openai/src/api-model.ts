import { createHash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import {
  LaconicError,
  randomFromState,
  type Completion,
  type CompletionRequest,
  type LanguageModel,
  type SamplingName,
} from "@laconic/core";
import { backoffMs, Turns } from "@laconic/core/async";
import { maxPrice, tokenCost, type TokenCounts, type TokenPrice } from "@laconic/core/ledger";
import { hostOf } from "@laconic/core/wire";
import { failedAttempt, refusalIn, type FailedAttempt } from "./failure.ts";
import { Limiter } from "./limiter.ts";
import type { Secret } from "./secret.ts";
import type { ServerReply } from "./server-reply.ts";
import { SpendAccount, type Reservation } from "./spend-account.ts";
import { CallBound, countReply, maxPromptTokens, publicPrices } from "./tokens.ts";

/** How a model behind any API is asked: retries, spending, requests at a time. */
export interface ApiModelOptions {
  /** Milliseconds for a completion with all its attempts. Default 10 minutes. */
  readonly deadlineMs?: number;
  /** Attempts of a completion. Default 8. */
  readonly attempts?: number;
  /** Shared by models of the same server and key. */
  readonly limiter?: Limiter;
  /** Shared by models that one budget pays for. */
  readonly account?: SpendAccount;
  /** US dollars per million tokens of each kind. Default: the dated table, where it has the model. */
  readonly price?: TokenPrice;
  /** Steps behind the server's weights, where it serves a policy. Default 0. */
  readonly weightVersion?: number;
  /** Sends a seed that follows from the request's random stream. Default true. */
  readonly seed?: boolean;
  /** Hears of every attempt that failed, and of replies that were paid before. */
  readonly onEvent?: (event: ApiEvent) => void;
}

/** Something that happened on the way to a completion. */
export type ApiEvent =
  | { readonly kind: "retry"; readonly attempt: number; readonly waitMs: number; readonly reason: string }
  /** Answered by a reply that an earlier process paid for, from the account's journal. */
  | { readonly kind: "replayed" }
  /** The server wrote more than was asked for: told once. From here on as much more is set aside for each call. */
  | { readonly kind: "ceiling-ignored"; readonly maxTokens: number; readonly completionTokens: number }
  /** A reply ended by no reason, or by one that is not known here: told once, counted in `unknownEnds`. It may lack its end. */
  | { readonly kind: "end-unknown"; readonly reason: string };

/** A model behind an API; what it costs and how many it asks at a time can be seen. */
export interface OpenAiModel extends LanguageModel {
  readonly account: SpendAccount;
  readonly limiter: Limiter;
  /** Replies so far that ended by no reason, or by one that is not known here. */
  readonly unknownEnds: number;
}

/** Keys of `ApiModelOptions`, for checks. */
export const apiModelKeys = "deadlineMs attempts limiter account price weightVersion seed onEvent";

/** A server that completes: how its requests are written and sent. */
export interface ApiServer<Body> {
  /** Names prices, encodings and completions. */
  readonly model: string;
  /** Shown by no error. */
  readonly key: Secret;
  /** Where it is; replies of another place are not used again. */
  readonly place: string;
  /** Parameters of sampling that it takes. */
  readonly supports: readonly SamplingName[];
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
  return new ApiModel(server, options);
}

/** A request as it is sent. */
interface Call<Body> {
  readonly request: CompletionRequest;
  readonly body: Body;
  /** Hash of all that decides the reply. */
  readonly key: string;
}

class ApiModel<Body> implements OpenAiModel {
  readonly id: string;
  readonly supports: readonly SamplingName[];
  readonly account: SpendAccount;
  readonly limiter: Limiter;
  readonly #server: ApiServer<Body>;
  readonly #deadlineMs: number;
  readonly #attempts: number;
  readonly #weightVersion: number;
  readonly #price: TokenPrice | null;
  readonly #hear: (event: ApiEvent) => void;
  readonly #bound = new CallBound();
  /** Under a cap, calls wait for each other until a reply has shown what the server takes. */
  readonly #untilBounded: Turns;
  #overlong = false;
  #unknownEnds = 0;

  constructor(server: ApiServer<Body>, options: ApiModelOptions) {
    const { model } = server;
    this.id = model;
    this.account = options.account ?? new SpendAccount();
    this.limiter = options.limiter ?? new Limiter();
    this.#server = server;
    this.supports = server.supports;
    this.#deadlineMs = options.deadlineMs ?? 600_000;
    this.#attempts = options.attempts ?? 8;
    this.#weightVersion = options.weightVersion ?? 0;
    this.#price = options.price ?? publicPrices[model] ?? null;
    if (this.account.maxUsd !== null && !this.#price)
      throw new LaconicError(
        "budget_refused",
        `a spend cap needs the price of ${model}, which is not known; give \`price\``,
        { model },
      );
    this.#untilBounded = new Turns(this.account.maxUsd === null ? Infinity : 1);
    this.#hear = options.onEvent ?? (() => undefined);
  }

  get unknownEnds(): number {
    return this.#unknownEnds;
  }

  async complete(request: CompletionRequest): Promise<Completion> {
    const body = this.#server.bodyOf(request);
    const parts = [this.#server.place, this.id, this.#weightVersion, body, request.random];
    const key = createHash("sha256").update(JSON.stringify(parts)).digest("hex");
    const name = `${this.id} at ${hostOf(this.#server.place)}`;
    const deadline = untilDeadline(this.#deadlineMs, request.signal, name);
    try {
      return await this.#askUntil({ request, body, key }, deadline);
    } finally {
      deadline.done();
    }
  }

  async #askUntil(call: Call<Body>, deadline: Deadline): Promise<Completion> {
    const { prompt, sampling, random } = call.request;
    const { signal, endOf } = deadline;
    const started = performance.now();
    const asked: TokenCounts = {
      promptTokens: await maxPromptTokens(this.id, prompt),
      completionTokens: sampling.maxTokens,
    };
    const paid = await this.account.replay(call.key);
    if (paid) {
      this.#hear({ kind: "replayed" });
      this.#learn(asked, paid);
      return paid;
    }
    let damaged = 0;
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#attemptInTurn(call, asked, deadline);
      if ("text" in outcome) return outcome;
      const { remedy, reason, toError } = outcome;
      const again = remedy.kind === "retry" || (remedy.kind === "retry-once" && damaged++ === 0);
      // Those who were told to wait as long do not all come back at once.
      const waitMs =
        (remedy.kind === "retry" ? (remedy.afterMs ?? 0) : 0) +
        backoffMs(attempt, randomFromState(random).split(`retry:${attempt}`).uniform());
      if (!again || attempt >= this.#attempts || performance.now() - started + waitMs > this.#deadlineMs)
        throw toError(attempt);
      this.#hear({ kind: "retry", attempt, waitMs, reason: this.#server.key.redact(reason) });
      await wait(waitMs, undefined, { signal }).catch((stopped: unknown) => {
        throw endOf(stopped);
      });
    }
  }

  async #attemptInTurn(call: Call<Body>, asked: TokenCounts, deadline: Deadline): Promise<Completion | FailedAttempt> {
    const refuse = (refusal: unknown): never => {
      throw deadline.endOf(refusal);
    };
    await this.#untilBounded.enter(deadline.signal).catch(refuse);
    try {
      const most = this.#maxCostOf(this.#bound.max(asked));
      const reservation = await this.account.reserve(most, deadline.signal).catch(refuse);
      return await this.#attempt(call, asked, deadline, reservation);
    } finally {
      this.#untilBounded.leave();
    }
  }

  /** The reply, or why there is none; charged either way. */
  async #attempt(
    call: Call<Body>,
    asked: TokenCounts,
    { signal, endOf }: Deadline,
    { begin, settle }: Reservation,
  ): Promise<Completion | FailedAttempt> {
    let outcome: "done" | "crowded" | "failed" = "failed";
    try {
      await this.limiter.enter(signal);
    } catch (waiting) {
      await settle(0);
      throw endOf(waiting);
    }
    try {
      await begin();
      const reply = await this.#server.post(call.body, signal).catch(refusalIn);
      outcome = "done";
      return await this.#completionOf(call, reply, asked, settle);
    } catch (caught) {
      const failed = failedAttempt(caught, this.#server, performance.timeOrigin + performance.now());
      if (failed.remedy.kind === "retry" && failed.remedy.crowded) outcome = "crowded";
      // An attempt whose end is not known may have been answered: it is charged in full.
      await settle(failed.charged ? undefined : 0);
      if (signal.aborted) throw endOf(caught);
      return failed;
    } finally {
      this.limiter.leave(outcome);
    }
  }

  async #completionOf(
    { request: { prompt, sampling, scorePrompt = false }, key }: Call<Body>,
    reply: ServerReply,
    asked: TokenCounts,
    settle: Reservation["settle"],
  ): Promise<Completion> {
    const { usage, max } = await countReply(this.id, prompt, reply);
    const { text, finishReason, trace, promptLogProbs, unknownReason } = reply;
    // What servers report is of temperature 1; at another it is no log-prob of what was sampled.
    const traced = trace && [0, 1].includes(sampling.temperature);
    const completion: Completion = {
      text,
      finishReason,
      usage,
      model: { id: this.id, weightVersion: this.#weightVersion },
      ...(traced && { trace }),
      ...(scorePrompt && promptLogProbs && { promptLogProbs }),
    };
    const cost = max ? this.#maxCostOf(max) : (tokenCost(this.#price, usage) ?? 0);
    this.#learn(asked, completion);
    // A reply that shows the key is not written down.
    const isClean = this.#server.key.redact(text) === text;
    await settle(cost, { completion, key: isClean ? key : null });
    if (unknownReason !== undefined && this.#unknownEnds++ === 0)
      this.#hear({ kind: "end-unknown", reason: unknownReason });
    return completion;
  }

  #learn(asked: TokenCounts, { usage }: Completion): void {
    const isOverlong = this.#bound.learn(asked, usage);
    this.#untilBounded.count = Infinity;
    if (!isOverlong || this.#overlong) return;
    this.#overlong = true;
    this.#hear({
      kind: "ceiling-ignored",
      maxTokens: asked.completionTokens,
      completionTokens: usage.completionTokens,
    });
  }

  /** US dollars of tokens whose kinds are not known, at the highest rates. */
  #maxCostOf(counts: TokenCounts): number {
    return tokenCost(this.#price && maxPrice(this.#price), counts) ?? 0;
  }
}

/** A signal for all attempts of a completion; cheaper than the platform's combined ones, of which each call would make two. */
interface Deadline {
  readonly signal: AbortSignal;
  /** What an error means that came after the signal: `aborted`, or `api_unavailable` where time ran out. */
  endOf(error: unknown): LaconicError;
  /** Lets go of timer and listener. */
  done(): void;
}

/**
 * @param own - the caller's signal
 * @param name - of who is asked, for errors
 */
function untilDeadline(deadlineMs: number, own: AbortSignal | undefined, name: string): Deadline {
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
  if (own?.aborted) abort();
  return {
    signal: controller.signal,
    endOf: (error) => {
      if (own?.aborted) return new LaconicError("aborted", "the request was aborted", {}, own.reason);
      if (over)
        return new LaconicError("api_unavailable", `${name}: no answer within ${deadlineMs} ms`, { deadlineMs });
      return LaconicError.is(error)
        ? error
        : new LaconicError("api_unavailable", `${name}: the request ended`, {}, error);
    },
    done: () => {
      clearTimeout(timer);
      own?.removeEventListener("abort", abort);
    },
  };
}
