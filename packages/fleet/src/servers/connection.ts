import { LaconicError, tryParseJson, withoutKey } from "@laconic/core";
import { networkReason, optionCheck, readFinishReason } from "@laconic/core/wire";
import { issueWords } from "@laconic/core/schemas";
import type { z } from "zod";

/** How a server is reached. */
export interface ConnectionOptions {
  /** Such as `http://10.0.0.5:8000`. */
  readonly url: string;
  /** Sent as a bearer token; no error holds it. */
  readonly apiKey?: string;
  /** Allows a key over http to another machine. */
  readonly allowPlainHttp?: boolean;
  readonly fetch?: typeof fetch;
}

/** A reply of any status below 500 but 408, 425 and 429. */
export interface HttpReply {
  readonly status: number;
  readonly text: string;
}

const checkOptions = optionCheck<ConnectionOptions>()("server", "url apiKey allowPlainHttp fetch");

/** Bytes of a reply: a long one with its log-probs, not a stream without an end. */
const maxBytes = 1 << 26;

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u;

/** A request that is no plain JSON. */
export interface RawRequest {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Exchanges JSON with one server; follows no redirect, and tries once. */
export class Connection {
  readonly url: string;
  readonly #options: ConnectionOptions;

  /** @throws LaconicError `config_invalid` */
  constructor(options: ConnectionOptions) {
    checkOptions(options);
    this.#options = options;
    this.url = checkedUrl(options);
  }

  /** @throws LaconicError `api_unavailable`, `aborted`, `reply_malformed` for more bytes than a reply has */
  exchange(path: string, body: object | null, signal?: AbortSignal): Promise<HttpReply> {
    const headers = { "content-type": "application/json" };
    return this.send(
      path,
      body === null ? { method: "GET" } : { method: "POST", body: JSON.stringify(body), headers },
      signal,
    );
  }

  /** The same of any request. */
  async send(path: string, { method, body, headers }: RawRequest, signal?: AbortSignal): Promise<HttpReply> {
    const { apiKey, fetch: send = fetch } = this.#options;
    const place = `${this.url}${path}`;
    let response: Response;
    let text: string;
    try {
      response = await send(place, {
        method,
        headers: {
          ...headers,
          ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        },
        ...(body !== undefined && { body }),
        redirect: "manual",
        ...(signal && { signal }),
      });
      text = await textOf(response, place);
    } catch (error) {
      if (LaconicError.is(error)) throw error;
      const timedOut = signal?.aborted === true && (signal.reason as Error | undefined)?.name === "TimeoutError";
      if (signal?.aborted && !timedOut) throw new LaconicError("aborted", `${place}: aborted`, { server: this.url });
      const reason = timedOut ? "no reply in time" : networkReason(error);
      throw new LaconicError("api_unavailable", `${place}: ${this.#redact(reason)}`, { server: this.url });
    }
    const { status } = response;
    if (status < 500 && ![408, 425, 429].includes(status)) {
      // What a model said is left as it is, but for the whole key.
      return { status, text: (apiKey?.length ?? 0) < 4 ? text : text.replaceAll(apiKey as string, "[redacted]") };
    }
    const wait = Number(response.headers.get("retry-after") ?? Number.NaN);
    throw new LaconicError("api_unavailable", `${place}: status ${status}: ${this.#redact(text).slice(0, 300)}`, {
      server: this.url,
      status,
      crowded: status === 429 || status === 503,
      ...(wait >= 0 && { retryAfterMs: 1000 * wait }),
    });
  }

  /** @throws LaconicError `api_refused` for any status but success, `reply_malformed` naming the key, as {@link exchange} */
  async ask<S extends z.ZodType>(
    path: string,
    body: object | null,
    schema: S,
    signal?: AbortSignal,
  ): Promise<z.output<S>> {
    return this.read(path, await this.exchange(path, body, signal), schema);
  }

  read<S extends z.ZodType>(path: string, reply: HttpReply, schema: S): z.output<S> {
    if (reply.status < 200 || reply.status > 299) throw this.refusal(path, reply);
    const value = tryParseJson(reply.text);
    if (value === undefined) {
      const beginning = JSON.stringify(this.#redact(reply.text).slice(0, 120));
      const message = `${this.url}${path}: status ${reply.status} without JSON; it began ${beginning}`;
      throw new LaconicError("reply_malformed", message, { server: this.url, status: reply.status });
    }
    const parsed = schema.safeParse(value, { error: issueWords });
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    const key = issue?.path.join(".") ?? "";
    throw new LaconicError(
      "reply_malformed",
      `${this.url}${path}: the reply at "${key}": ${this.#redact(issue?.message ?? "")}`,
      {
        server: this.url,
        key,
      },
    );
  }

  refusal(path: string, { status, text }: HttpReply, advice = ""): LaconicError {
    const message = `${this.url}${path}: status ${status}: ${this.#redact(text).slice(0, 300)}${advice}`;
    return new LaconicError("api_refused", message, { server: this.url, status });
  }

  #redact(text: string): string {
    return withoutKey(text, this.#options.apiKey ?? "");
  }
}

/**
 * Why a server ended a reply that is to be trained on: by a stop or a limit.
 * @throws LaconicError `api_unavailable` for any other reason: another try or another server may help
 */
export function wholeReason({ url }: Connection, given: unknown): "stop" | "length" {
  const reason = readFinishReason(given);
  if (reason === "stop" || reason === "length") return reason;
  const words = (JSON.stringify(given) ?? "no reason").slice(0, 200);
  throw new LaconicError("api_unavailable", `${url}: the reply finished by ${words}`, { server: url });
}

function checkedUrl({ url, apiKey, allowPlainHttp = false }: ConnectionOptions): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const server = parsed?.host ?? JSON.stringify(url);
  const refuse = (reason: string): LaconicError =>
    new LaconicError("config_invalid", `server ${server}: ${reason}`, { server });
  if (!parsed || (parsed.protocol !== "http:" && parsed.protocol !== "https:"))
    throw refuse("expected an address such as http://10.0.0.5:8000");
  if (parsed.username !== "" || parsed.password !== "" || parsed.search !== "" || parsed.hash !== "")
    throw refuse("a user, a key or a query does not belong into the address; give the key as apiKey");
  if (apiKey !== undefined && parsed.protocol === "http:" && !loopback.test(parsed.hostname) && !allowPlainHttp)
    throw refuse("would get the key without encryption; use https, or set allowPlainHttp");
  return `${parsed.origin}${parsed.pathname.replace(/\/+$/u, "")}`;
}

async function textOf(response: Response, place: string): Promise<string> {
  const tooMany = (): Error => new LaconicError("reply_malformed", `${place}: a reply of more than ${maxBytes} bytes`);
  return (await bytesWithin(response.body, maxBytes, tooMany)).toString();
}

/** A body's bytes. Beyond the limit it is cancelled. @throws what `tooMany` makes then */
export async function bytesWithin(
  body: ReadableStream<Uint8Array> | null,
  max: number,
  tooMany: () => Error,
): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body ?? []) {
    size += piece.length;
    if (size > max) throw tooMany();
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
