import { LaconicError, randomFromSeed, type Random } from "@laconic/core";
import { backoffMs } from "@laconic/core/async";
import { withoutKey, serverAddress } from "@laconic/core/wire";
import { exchange, systemClock, type Clock, type Exchange } from "@laconic/core/platform";
import { parseBy } from "@laconic/core/schemas";
import type { z } from "zod";
import { jsonCodec, type Codec } from "../wire/codec.ts";

/** Connection to a server. */
export interface TransportOptions {
  /** Such as `http://127.0.0.1:8000`; `/api/v1` is added. */
  readonly baseUrl: string;
  /** Sent as `X-API-Key`; redacted from errors. */
  readonly apiKey?: string;
  /** Allows http to another machine. */
  readonly allowPlainHttp?: boolean;
  /** Time limit of one exchange in milliseconds. Default 60,000. */
  readonly exchangeMs?: number;
  /** Time limit of one result in milliseconds. Default 600,000. */
  readonly deadlineMs?: number;
  /** Max attempts of a repeatable exchange. Default 8. */
  readonly attempts?: number;
  readonly fetch?: typeof fetch;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly codec?: Codec;
  /** Called for each failed attempt that is repeated. */
  readonly onRetry?: (event: { readonly path: string; readonly attempt: number; readonly reason: string }) => void;
}

export const transportKeys =
  "baseUrl apiKey allowPlainHttp exchangeMs deadlineMs attempts fetch clock random codec onRetry";

/** Repetition of failed exchanges. `never`: only if the server certainly refused (connection refused or status 429). */
export type Repeat = "always" | "never";

export interface HttpFailure {
  readonly status: number;
  readonly text: string;
}

/** Max bytes of a reply: enough for log-probs of a large batch. */
const maxBytes = 1 << 28;

/** Sends requests and reads replies. Retries what is safe, redacts the key, and follows no redirects. */
export class Transport {
  readonly base: string;
  readonly clock: Clock;
  readonly deadlineMs: number;
  readonly #options: TransportOptions;
  readonly #random: Random;
  readonly codec: Codec;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.base = serverAddress(options.baseUrl, "baseUrl", {
      allowed: options.allowPlainHttp ?? false,
      option: "allowPlainHttp",
    });
    this.clock = options.clock ?? systemClock;
    this.deadlineMs = options.deadlineMs ?? 600_000;
    this.#random = options.random ?? randomFromSeed("tinker");
    this.codec = options.codec ?? jsonCodec;
  }

  /**
   * @throws LaconicError `api_refused` for a permanent status, `api_unavailable` with `outcome` (`unknown` if it may
   * have run), `reply_malformed`, `aborted`
   */
  async exchange<S extends z.ZodType>(
    path: string,
    body: object | null,
    schema: S,
    repeat: Repeat,
    signal?: AbortSignal,
  ): Promise<z.output<S>> {
    const value = await this.send(path, body, repeat, signal, () => null);
    return this.read(path, schema, value);
  }

  read<S extends z.ZodType>(path: string, schema: S, value: unknown): z.output<S> {
    return parseBy(schema, value, (key, reason) => {
      const message = `${this.place(path)}: the server's reply at "${key}": ${reason}`;
      return new LaconicError("reply_malformed", message, { path, key });
    });
  }

  /**
   * @param special - handles failures that are valid answers, including timeouts
   * @param of - the request whose result is requested
   */
  async send(
    path: string,
    body: object | null,
    repeat: Repeat,
    signal: AbortSignal | undefined,
    special: (failure: HttpFailure | "late") => object | null,
    of: string = path,
  ): Promise<unknown> {
    const attempts = this.#options.attempts ?? 8;
    for (let attempt = 1; ; attempt++) {
      const tried = await this.#try(path, of, body, signal);
      if (tried.kind === "reply") return tried.value;
      const answer = tried.kind === "failed" ? special(tried) : tried.late ? special("late") : null;
      if (answer !== null) return answer;
      const { again, error } = this.#judge(path, tried, repeat, attempt);
      if (!again || attempt >= attempts) throw error;
      this.#options.onRetry?.({ path, attempt, reason: error.message });
      // Jitter down to three quarters gives a server of thousands of requests time.
      await this.clock.sleep(backoffMs(attempt, 0.75 + 0.25 * this.#random.uniform()), signal).catch(() => undefined);
      if (signal?.aborted) throw abortError(path);
    }
  }

  #judge(path: string, tried: Failed, repeat: Repeat, attempts: number): { again: boolean; error: LaconicError } {
    const status = tried.kind === "failed" ? tried.status : undefined;
    const reason =
      tried.kind === "failed"
        ? `status ${status}: ${this.#redact(tried.text).slice(0, 300)}`
        : this.#redact(tried.reason);
    const message = `${this.place(path)}: ${reason}`;
    if (status !== undefined && !isTransient(status))
      return { again: false, error: new LaconicError("api_refused", message, { path, status }) };
    const isUndone = tried.kind === "failed" ? status === 429 : !tried.sent;
    const detail = { path, ...(status !== undefined && { status }), attempts, outcome: isUndone ? "none" : "unknown" };
    return { again: isUndone || repeat === "always", error: new LaconicError("api_unavailable", message, detail) };
  }

  async #try(path: string, of: string, body: object | null, signal: AbortSignal | undefined): Promise<Tried> {
    if (signal?.aborted) throw abortError(path);
    const timeout = AbortSignal.timeout(this.#options.exchangeMs ?? 60_000);
    const { apiKey, fetch: send = fetch } = this.#options;
    const request = body && this.codec.request(path, body);
    const tried = await exchange(this.place(request?.path ?? path), {
      method: body === null ? "GET" : "POST",
      headers: {
        accept: this.codec.accept(path, of),
        ...(request && { "content-type": request.contentType }),
        ...(apiKey !== undefined && { "X-API-Key": apiKey }),
        ...(path === "asample" && { "X-Tinker-Sampling-Backpressure": "1" }),
      },
      ...(request && { body: request.body }),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      maxBytes,
      fetch: send,
    });
    if (tried.kind === "silent") return tried;
    const { status, headers, bytes } = tried;
    if (status >= 200 && status < 300) return this.#decoded(of, headers.get("content-type") ?? "", bytes);
    return { kind: "failed", status, text: new TextDecoder().decode(bytes.subarray(0, 2000)) };
  }

  #decoded(path: string, contentType: string, bytes: Uint8Array): Tried {
    try {
      return { kind: "reply", value: this.codec.reply(bytes, contentType, path) };
    } catch (error) {
      const beginning = JSON.stringify(this.#redact(new TextDecoder().decode(bytes.subarray(0, 120))));
      const message = `${this.place(path)}: the server's reply cannot be read; it begins ${beginning}`;
      throw new LaconicError("reply_malformed", message, { path }, error);
    }
  }

  place(path: string): string {
    return `${this.base}/api/v1/${path}`;
  }

  #redact(text: string): string {
    return withoutKey(text, this.#options.apiKey ?? "");
  }
}

type Failed = ({ readonly kind: "failed" } & HttpFailure) | Extract<Exchange, { readonly kind: "silent" }>;
type Tried = Failed | { readonly kind: "reply"; readonly value: unknown };

function isTransient(status: number): boolean {
  return [408, 425, 429].includes(status) || (status >= 500 && status !== 501);
}

export function abortError(path: string): LaconicError {
  return new LaconicError("aborted", `${path}: aborted`, { path });
}
