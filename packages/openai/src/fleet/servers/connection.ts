import { LaconicError, type ErrorDetail } from "@laconic/core";
import { samplingFields } from "@laconic/core/backends";
import { tryParseJson } from "@laconic/core/json";
import { withoutKey, readFinishReason, serverAddress } from "@laconic/core/wire";
import { exchange } from "@laconic/core/platform";
import { optionCheck } from "@laconic/core/checks";
import { parseBy } from "@laconic/core/schemas";
import * as z from "zod";
import type { Generation, ServerFacts } from "./sampling-server.ts";

/** Options of a connection. */
export interface ConnectionOptions {
  /** Such as `http://10.0.0.5:8000`. */
  readonly url: string;
  /** Bearer token; redacted from errors. */
  readonly apiKey?: string;
  /** Allows a key over http to another machine. */
  readonly allowPlainHttp?: boolean;
  readonly fetch?: typeof fetch;
}

/** A reply with a status below 500, except 408, 425 and 429. */
export interface HttpReply {
  readonly status: number;
  readonly text: string;
}

const checkOptions = optionCheck<ConnectionOptions>()("server", "url apiKey allowPlainHttp fetch");

/** Enough for a long reply with log-probs, but stops endless streams. */
const maxBytes = 1 << 26;

export interface RawRequest {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Decodes the reply. Default UTF-8. */
  readonly read?: (bytes: Uint8Array) => string;
}

export const jsonHeaders = { "content-type": "application/json" } as const;

/** Exchanges JSON with one server. Follows no redirects and does not retry. */
export class Connection {
  readonly url: string;
  readonly #options: ConnectionOptions;

  /** @throws LaconicError `config_invalid` */
  constructor(options: ConnectionOptions) {
    checkOptions(options);
    const { url, apiKey, allowPlainHttp = false } = options;
    this.#options = options;
    this.url = serverAddress(url, "server", {
      allowed: allowPlainHttp || apiKey === undefined,
      option: "allowPlainHttp",
    });
  }

  /** @throws LaconicError `api_unavailable`, `aborted`, `reply_malformed` for an oversized reply */
  exchange(path: string, body: object | null, signal?: AbortSignal): Promise<HttpReply> {
    return this.send(
      path,
      body === null ? { method: "GET" } : { method: "POST", body: JSON.stringify(body), headers: jsonHeaders },
      signal,
    );
  }

  async send(path: string, request: RawRequest, signal?: AbortSignal): Promise<HttpReply> {
    const { method, body, headers, read = (bytes) => new TextDecoder().decode(bytes) } = request;
    const { apiKey, fetch: send } = this.#options;
    const location = `${this.url}${path}`;
    const key = apiKey !== undefined && { authorization: `Bearer ${apiKey}` };
    const options = { method, headers: { ...headers, ...key }, maxBytes, signal, fetch: send };
    const reply = await exchange(location, { ...options, ...(body !== undefined && { body }) });
    const unavailable = (reason: string, detail: ErrorDetail = {}): LaconicError =>
      new LaconicError("api_unavailable", `${location}: ${reason}`, { server: this.url, ...detail });
    if (reply.kind === "silent") throw unavailable(this.#redact(reply.reason));
    const { status } = reply;
    const text = read(reply.bytes);
    if (status < 500 && ![408, 425, 429].includes(status)) {
      // Model text stays unchanged.
      return { status, text: (apiKey?.length ?? 0) < 4 ? text : text.replaceAll(apiKey!, "[redacted]") };
    }
    const wait = Number(reply.headers.get("retry-after") ?? NaN);
    throw unavailable(`status ${status}: ${this.#redact(text).slice(0, 300)}`, {
      status,
      crowded: status === 429 || status === 503,
      ...(wait >= 0 && { retryAfterMs: 1000 * wait }),
    });
  }

  /** @throws LaconicError `api_refused` for an error status, `reply_malformed` with the key */
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
      const message = `${this.url}${path}: status ${reply.status} without JSON; it begins ${beginning}`;
      throw new LaconicError("reply_malformed", message, { server: this.url, status: reply.status });
    }
    return parseBy(schema, value, (key, reason) => {
      const message = `${this.url}${path}: the reply at "${key}": ${this.#redact(reason)}`;
      return new LaconicError("reply_malformed", message, { server: this.url, key });
    });
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
 * Accepts only stop and length.
 * @throws LaconicError `api_unavailable` for others: another attempt or server may help
 */
export function wholeReason({ url }: Connection, value: unknown): "stop" | "length" {
  const reason = readFinishReason(value);
  if (reason === "stop" || reason === "length") return reason;
  const shown = (JSON.stringify(value) ?? "no reason").slice(0, 200);
  throw new LaconicError("api_unavailable", `${url}: the reply finished by ${shown}`, { server: url });
}

/**
 * Fields of a generation that vLLM and SGLang share. All are set, because missing ones come from the model's
 * generation_config.json.
 */
export function commonFields(server: "vllm" | "sglang", { sampling, stopTokens, stopTexts }: Generation): object {
  return {
    ...samplingFields(server, sampling, "all"),
    repetition_penalty: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    stop_token_ids: stopTokens,
    stop: stopTexts,
    ignore_eos: true,
    skip_special_tokens: false,
  };
}

const modelList = z.object({
  data: z.array(
    z.object({ id: z.string(), parent: z.string().nullish(), max_model_len: z.number().nullish() }).loose(),
  ),
});
const versionReply = z.object({ version: z.string().nullish() }).loose();

export async function serverFacts(
  connection: Connection,
  versionPath: string,
  signal?: AbortSignal,
): Promise<ServerFacts> {
  const health = await connection.exchange("/health", null, signal);
  if (health.status !== 200) throw connection.refusal("/health", health);
  const { data } = await connection.ask("/v1/models", null, modelList, signal);
  const reply = await connection.exchange(versionPath, null, signal);
  return {
    version: reply.status === 200 ? (connection.read(versionPath, reply, versionReply).version ?? null) : null,
    contextLength: data[0]?.max_model_len ?? null,
  };
}

/** Adapters are models with a parent. */
export async function adapterNames(connection: Connection, signal?: AbortSignal): Promise<readonly string[]> {
  const { data } = await connection.ask("/v1/models", null, modelList, signal);
  return data.filter(({ parent }) => typeof parent === "string").map(({ id }) => id);
}
