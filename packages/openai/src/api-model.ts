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

/** Retries, spending and concurrency of a model behind an API. */
export interface ApiModelOptions {
  /** Milliseconds of a completion, all attempts included. Default 10 minutes. */
  readonly deadlineMs?: number;
  /** Default 8. */
  readonly attempts?: number;
  /** Shared by models of the same server and key. */
  readonly limiter?: Limiter;
  /** Shared by models under one spend cap. */
  readonly account?: SpendAccount;
  /** US dollars per million tokens. Default: the dated price table, if it has the model. */
  readonly price?: TokenPrice;
  /** Weight version of a served policy. Default 0. */
  readonly weightVersion?: number;
  /** Sends a seed from the request's random stream. Default true. */
  readonly seed?: boolean;
  /** Called for failed attempts and replies that were already paid. */
  readonly onEvent?: (event: ApiEvent) => void;
}

/** Event during a completion. */
export type ApiEvent =
  | { readonly kind: "retry"; readonly attempt: number; readonly waitMs: number; readonly reason: string }
  /** An earlier process paid for the reply. */
  | { readonly kind: "replayed" }
  /** The server wrote more tokens than allowed. Reported once; later reservations include the excess. */
  | { readonly kind: "ceiling-ignored"; readonly maxTokens: number; readonly completionTokens: number }
  /** Unknown finish reason; the reply may be truncated. Reported once, counted in `unknownEnds`. */
  | { readonly kind: "end-unknown"; readonly reason: string };

/** API model with its spend account and limiter. */
export interface OpenAiModel extends LanguageModel {
  readonly account: SpendAccount;
  readonly limiter: Limiter;
  /** Replies with an unknown finish reason. */
  readonly unknownEnds: number;
}

export const apiModelKeys = "deadlineMs attempts limiter account price weightVersion seed onEvent";

export interface ApiServer<Body> {
  readonly model: string;
  /** Redacted from errors. */
  readonly key: Secret;
  /** Journal replies of another address are not reused. */
  readonly address: string;
  readonly supports: readonly SamplingName[];
  /**
   * All inputs of a reply, as plain data.
   * @throws LaconicError `config_invalid`, `input_invalid` for unsupported requests
   */
  bodyOf(request: CompletionRequest): Body;
  /** One attempt. May throw anything: a LaconicError ends the completion, other errors go to `failedAttempt`. */
  post(body: Body, signal: AbortSignal): Promise<ServerReply>;
}

/**
 * Language model that retries a server until it answers. `complete` throws LaconicError `api_refused`,
 * `api_unavailable`, `reply_malformed`, `budget_refused`, `aborted`; `run_unwritable` if the account's journal cannot
 * be written.
 * @throws LaconicError `budget_refused` for a cap without a price
 */
export function apiModel<Body>(server: ApiServer<Body>, options: ApiModelOptions): OpenAiModel {
  return new ApiModel(server, options);
}

interface Call<Body> {
  readonly request: CompletionRequest;
  readonly body: Body;
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
  /** Under a cap, calls run one at a time until a reply shows how many tokens the server uses. */
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
        `a spend cap needs the price of ${model}, which is unknown; set \`price\``,
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
    const parts = [this.#server.address, this.id, this.#weightVersion, body, request.random];
    const key = createHash("sha256").update(JSON.stringify(parts)).digest("hex");
    const name = `${this.id} at ${hostOf(this.#server.address)}`;
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
      // Jitter, so that requests with the same wait do not return together.
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
      // The attempt may have been answered: charge the full reservation.
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
    // Servers report log-probs at temperature 1, so they are valid at no other temperature.
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
    // A reply that contains the key is not written to disk.
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

  /** US dollars at the highest rates. */
  #maxCostOf(counts: TokenCounts): number {
    return tokenCost(this.#price && maxPrice(this.#price), counts) ?? 0;
  }
}

/**
 * Abort signal for all attempts of a completion. One timer and listener, where `AbortSignal.any` would need two per
 * call.
 */
interface Deadline {
  readonly signal: AbortSignal;
  /** Error that an abort means: `aborted`, or `api_unavailable` after a timeout. */
  endOf(error: unknown): LaconicError;
  done(): void;
}

function untilDeadline(deadlineMs: number, outer: AbortSignal | undefined, name: string): Deadline {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), Math.min(deadlineMs, 2 ** 31 - 1));
  const abort = (): void => controller.abort(outer?.reason);
  outer?.addEventListener("abort", abort, { once: true });
  if (outer?.aborted) abort();
  return {
    signal: controller.signal,
    endOf: (error) => {
      if (outer?.aborted) return new LaconicError("aborted", "the request was aborted", {}, outer.reason);
      if (controller.signal.aborted)
        return new LaconicError("api_unavailable", `${name}: no answer within ${deadlineMs} ms`, { deadlineMs });
      return LaconicError.is(error)
        ? error
        : new LaconicError("api_unavailable", `${name}: the request failed`, {}, error);
    },
    done: () => {
      clearTimeout(timer);
      outer?.removeEventListener("abort", abort);
    },
  };
}
