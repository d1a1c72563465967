import { backoffMs, LaconicError, randomFromSeed, withoutKey, type Random } from "@laconic/core";
import { networkCode, networkReason } from "@laconic/core/wire";
import { systemClock, type Clock } from "@laconic/core/platform";
import { issueWords } from "@laconic/core/schemas";
import type { z } from "zod";
import { jsonCodec, type Codec } from "../wire/codec.ts";

/** How a server is reached. */
export interface TransportOptions {
  /** Such as `http://127.0.0.1:8000`; `/api/v1` is added. */
  readonly baseUrl: string;
  /** Sent as `X-API-Key`; no error holds it. */
  readonly apiKey?: string;
  /** Allows http to another machine. */
  readonly allowPlainHttp?: boolean;
  /** Milliseconds of one exchange; 60,000 by default. */
  readonly exchangeMs?: number;
  /** Milliseconds of one result, all its polls included; 600,000 by default. */
  readonly deadlineMs?: number;
  /** Tries of one exchange that may be repeated; 8 by default. */
  readonly attempts?: number;
  readonly fetch?: typeof fetch;
  readonly clock?: Clock;
  /** Of the waits' jitter. */
  readonly random?: Random;
  readonly codec?: Codec;
  /** Hears of every try that failed and is repeated. */
  readonly onRetry?: (event: { readonly path: string; readonly attempt: number; readonly reason: string }) => void;
}

/** Keys of `TransportOptions`, for checks. */
export const transportKeys =
  "baseUrl apiKey allowPlainHttp exchangeMs deadlineMs attempts fetch clock random codec onRetry";

/**
 * Which failures of an exchange may be answered by sending it again.
 * `always`: nothing happens twice. `never`: only what certainly was not taken in, a refused connection or 429, is sent again.
 */
export type Repeat = "always" | "never";

/** A reply with a status that is no success. */
export interface HttpFailure {
  readonly status: number;
  readonly text: string;
}

/** Bytes of a reply: log-probs of a large batch, not a stream without an end. */
const maxBytes = 1 << 28;

/** Sends bodies and reads replies; retries what is safe, redacts the key, follows no redirect. */
export class Transport {
  readonly base: string;
  readonly clock: Clock;
  readonly deadlineMs: number;
  readonly #options: TransportOptions;
  readonly #random: Random;
  readonly codec: Codec;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.base = checkedAddress(options.baseUrl, options.allowPlainHttp ?? false);
    this.clock = options.clock ?? systemClock;
    this.deadlineMs = options.deadlineMs ?? 600_000;
    this.#random = options.random ?? randomFromSeed("tinker");
    this.codec = options.codec ?? jsonCodec;
  }

  /**
   * @throws LaconicError `api_refused` for a status that asking again does not change, `api_unavailable` when tries or time
   * ran out (detail `outcome` is `unknown` where the server may have done it), `reply_malformed`, `aborted`
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

  /** Reads a decoded reply. @throws LaconicError `reply_malformed` naming the key */
  read<S extends z.ZodType>(path: string, schema: S, value: unknown): z.output<S> {
    const parsed = schema.safeParse(value, { error: issueWords });
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    const key = issue?.path.join(".") ?? "";
    throw new LaconicError(
      "reply_malformed",
      `${this.#place(path)}: the server's reply at "${key}": ${issue?.message}`,
      {
        path,
        key,
      },
    );
  }

  /**
   * @param special - a failure that is an answer, a reply that did not come in time among them; null leaves it a failure
   * @param of - the request whose result is asked for
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
      // At least three quarters of it: a server that says "not now" to thousands is given the time.
      await this.clock.sleep(backoffMs(attempt, 0.75 + 0.25 * this.#random.uniform()), signal).catch(() => undefined);
      if (signal?.aborted) throw abortError(path);
    }
  }

  #judge(path: string, tried: Failed, repeat: Repeat, attempt: number): { again: boolean; error: LaconicError } {
    const safe = repeat === "always";
    if (tried.kind === "failed") {
      const { status, text } = tried;
      const message = `${this.#place(path)}: status ${status}: ${this.#redact(text).slice(0, 300)}`;
      const crowded = status === 429;
      const transient = crowded || status === 408 || status === 425 || (status >= 500 && status !== 501);
      if (!transient) return { again: false, error: new LaconicError("api_refused", message, { path, status }) };
      const outcome = crowded ? "none" : "unknown";
      return {
        again: crowded || safe,
        error: new LaconicError("api_unavailable", message, { path, status, attempts: attempt, outcome }),
      };
    }
    const { sent, reason } = tried;
    const outcome = sent ? "unknown" : "none";
    const message = `${this.#place(path)}: ${this.#redact(reason)}`;
    return {
      again: safe || !sent,
      error: new LaconicError("api_unavailable", message, { path, attempts: attempt, outcome }),
    };
  }

  async #try(path: string, of: string, body: object | null, signal: AbortSignal | undefined): Promise<Tried> {
    if (signal?.aborted) throw abortError(path);
    const timeout = AbortSignal.timeout(this.#options.exchangeMs ?? 60_000);
    const { apiKey, fetch: send = fetch } = this.#options;
    const request = body && this.codec.request(path, body);
    let response: Response;
    try {
      response = await send(`${this.base}/api/v1/${request?.path ?? path}`, {
        method: body === null ? "GET" : "POST",
        headers: {
          accept: this.codec.accept(path, of),
          ...(request && { "content-type": request.contentType }),
          ...(apiKey !== undefined && { "X-API-Key": apiKey }),
          ...(path === "asample" && { "X-Tinker-Sampling-Backpressure": "1" }),
        },
        ...(request && { body: request.body }),
        redirect: "manual",
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      const bytes = await readBytes(response, this.#place(path));
      if (response.ok) return this.#decoded(of, response.headers.get("content-type") ?? "", bytes);
      const text = new TextDecoder().decode(bytes.subarray(0, 2000));
      return { kind: "failed", status: response.status, text };
    } catch (error) {
      if (LaconicError.is(error)) throw error;
      if (signal?.aborted) throw abortError(path);
      return { kind: "silent", sent: !wasRefused(error), late: timeout.aborted, reason: networkReason(error) };
    }
  }

  #decoded(path: string, contentType: string, bytes: Uint8Array): Tried {
    try {
      return { kind: "reply", value: this.codec.reply(bytes, contentType, path) };
    } catch (error) {
      const beginning = JSON.stringify(this.#redact(new TextDecoder().decode(bytes.subarray(0, 120))));
      const message = `${this.#place(path)}: the server's reply cannot be read; it began ${beginning}`;
      throw new LaconicError("reply_malformed", message, { path }, error);
    }
  }

  #place(path: string): string {
    return `${this.base}/api/v1/${path}`;
  }

  #redact(text: string): string {
    return withoutKey(text, this.#options.apiKey ?? "");
  }
}

type Failed =
  | ({ readonly kind: "failed" } & HttpFailure)
  /** No reply; `sent` where the request may have arrived, `late` where it was waited for long enough. */
  | { readonly kind: "silent"; readonly sent: boolean; readonly late: boolean; readonly reason: string };
type Tried = Failed | { readonly kind: "reply"; readonly value: unknown };

async function readBytes(response: Response, place: string): Promise<Uint8Array> {
  const reader = response.body?.getReader();
  if (!reader) return new Uint8Array();
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(pieces);
    size += value.length;
    if (size > maxBytes) {
      await reader.cancel();
      throw new LaconicError("reply_malformed", `${place}: a reply of more than ${maxBytes} bytes`);
    }
    pieces.push(value);
  }
}

/** Nobody listened, so nothing was done. */
function wasRefused(error: unknown): boolean {
  return ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"].includes(networkCode(error) ?? "");
}

export function abortError(path: string): LaconicError {
  return new LaconicError("aborted", `${path}: aborted`, { path });
}

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u;

/**
 * The server's base, without a slash at its end.
 * @throws LaconicError `config_invalid` for anything but http and https, for a user or query in it, and for plain http to
 * another machine unless allowed: the key and all training data would be readable on the way.
 */
function checkedAddress(address: string, allowPlainHttp: boolean): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  const fail = (reason: string): LaconicError =>
    new LaconicError("config_invalid", `baseUrl: ${reason}`, { key: "baseUrl" });
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:"))
    throw fail("expected an address such as http://127.0.0.1:8000");
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw fail("a user, a key or a query does not belong into it; give the key as apiKey");
  if (url.protocol === "http:" && !loopback.test(url.hostname) && !allowPlainHttp)
    throw fail(`${url.host} would be spoken to without encryption; use https, or set allowPlainHttp`);
  return `${url.origin}${url.pathname.replace(/\/+$/u, "")}`;
}
