import { setTimeout as sleep } from "node:timers/promises";
import { configError, type ErrorDetail, LaconicError } from "@laconic/core";
import { hostOf, networkCode, networkReason } from "@laconic/core/wire";

export interface ConnectionOptions {
  readonly endpoint: string;
  readonly token?: string | undefined;
  readonly fetch: typeof fetch;
  readonly signal?: AbortSignal | undefined;
  /** Replaced in tests. */
  readonly wait?: ((ms: number, signal?: AbortSignal) => Promise<unknown>) | undefined;
  /** Requested item, for errors. */
  readonly place: string;
  /** Default: the hub and its host. */
  readonly server?: string;
}

export interface Sink {
  readonly position: number;
  readonly end: number;
  /** Value of the range header; null for the whole file. */
  range(): string | null;
  begin(response: Response): Promise<void> | void;
  add(piece: Uint8Array): Promise<void> | void;
  /** Called before the attempt after a temporary error. */
  recover?(error: unknown): Promise<void>;
}

/** Max consecutive failed attempts. */
const maxAttempts = 5;

/** Max bytes of a response in memory. */
const maxAnswerBytes = 64 << 20;

/** Retries requests. Errors contain no address, header or response text. */
export class HubConnection {
  readonly endpoint: string;
  readonly token: string | undefined;
  readonly #options: ConnectionOptions;
  readonly #server: string;

  constructor(options: ConnectionOptions) {
    const { token, endpoint } = options;
    this.endpoint = checkEndpoint(endpoint);
    checkToken(token);
    this.token = token;
    this.#options = options;
    this.#server = options.server ?? `the hub at ${hostOf(this.endpoint)}`;
  }

  /** `fetch` for the hub's library; reads whole responses. */
  readonly fetch: typeof fetch = (input, init = {}) =>
    this.#ask(new URL(input instanceof Request ? input.url : input), init, async (response) => {
      const { status, headers } = response;
      return new Response(await this.#wholeBody(response), { status, headers });
    });

  unavailable(reason: string, location: string = this.#options.place, detail: ErrorDetail = {}): LaconicError {
    return new LaconicError("hub_unavailable", `${location}: request to ${this.#server} failed: ${reason}`, detail);
  }

  /**
   * Reads a file until the sink has all bytes, with resume and up to five attempts without progress.
   * @param path - relative to the endpoint
   * @throws LaconicError of the sink, `checkpoint_missing`, `hub_unavailable`, `aborted`
   */
  async transfer({ name, path }: { readonly name: string; readonly path: string }, sink: Sink): Promise<void> {
    const url = new URL(`${this.endpoint}/${path}`);
    const authorization = this.token !== undefined && { authorization: `Bearer ${this.token}` };
    for (let failures = 0; sink.position < sink.end;) {
      const before = sink.position;
      const range = sink.range();
      const headers = { "accept-encoding": "identity", ...(range !== null && { range }), ...authorization };
      const response = await this.#ask(url, { headers }, async (answer) => answer, [416]);
      let reason = "too few bytes";
      try {
        await sink.begin(response);
        for await (const piece of response.body ?? []) await sink.add(piece);
      } catch (error) {
        await response.body?.cancel().catch(() => undefined);
        throwIfStopped(this.#options.signal);
        if (LaconicError.is(error)) throw error;
        await sink.recover?.(error);
        reason = failureWords(error);
      }
      if (sink.position === sink.end) return;
      if (sink.position > before) failures = 0;
      await this.#pause(failures++, `the transfer of ${name} ended early (${reason})`);
    }
  }

  async #pause(attempt: number, reason: string, headers: Headers | null = null): Promise<void> {
    const { signal, wait = (delay, stop) => sleep(delay, undefined, { signal: stop }) } = this.#options;
    const ms = attempt + 1 < maxAttempts ? retryDelayMs(attempt, headers) : null;
    if (ms === null) throw this.unavailable(reason, undefined, { attempts: attempt + 1 });
    await wait(ms, signal).catch((error: unknown) => {
      throwIfStopped(signal);
      throw error;
    });
  }

  async #ask<T>(
    url: URL,
    init: RequestInit,
    finish: (response: Response) => Promise<T>,
    accepted: readonly number[] = [],
  ): Promise<T> {
    const { signal, fetch: send } = this.#options;
    const headers = new Headers(init.headers);
    // Listings may name any address as next page, so only the hub gets the token.
    if (url.origin !== new URL(this.endpoint).origin) headers.delete("authorization");
    for (let attempt = 0; ; attempt++) {
      let response: Response | null = null;
      try {
        response = await send(url, { ...init, headers, ...(signal && { signal }) });
        if (response.ok || accepted.includes(response.status)) return await finish(response);
      } catch (error) {
        throwIfStopped(signal);
        if (LaconicError.is(error)) throw error;
        await this.#pause(attempt, `the connection failed (${failureWords(error)})`);
        continue;
      }
      await response.body?.cancel().catch(() => undefined);
      if (response.status !== 429 && response.status < 500) throw this.#refusal(response);
      await this.#pause(attempt, `HTTP status ${response.status}`, response.headers);
    }
  }

  async #wholeBody({ body }: Response): Promise<Blob | null> {
    if (body === null) return null;
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    let bytes = 0;
    for await (const piece of body) {
      bytes += piece.length;
      if (bytes > maxAnswerBytes) throw this.unavailable(`the response is longer than ${maxAnswerBytes >> 20} MiB`);
      pieces.push(piece);
    }
    return new Blob(pieces);
  }

  #refusal({ status, headers }: Response): LaconicError {
    const code = headers.get("x-error-code") ?? "";
    if (status === 404 || code in missing) {
      const reason = missing[code] ?? `not found on ${this.#server}`;
      return new LaconicError("checkpoint_missing", `${this.#options.place}: ${reason}`, { status });
    }
    const hasToken = this.token !== undefined;
    const access = hasToken ? "the token has no access" : "it needs a token or does not exist";
    const reason =
      code === "GatedRepo"
        ? "the owner requires consent to terms; accept them on the hub's page of the repository"
        : `HTTP status ${status}${status === 401 || status === 403 ? `: ${access}` : ""}`;
    return this.unavailable(reason, undefined, { status });
  }
}

/** @throws LaconicError `aborted` */
export function throwIfStopped(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new LaconicError("aborted", "the download was aborted");
}

/** Error code or name of a failed exchange; messages may contain a signed address. */
function failureWords(error: unknown): string {
  return networkCode(error) === null ? (error as Error).name : networkReason(error);
}

/** Offset of a response's first byte; null unless it is part of a file of this size. */
export function startOf({ status, headers }: Response, total: number): number | null {
  if (status === 200) return 0;
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get("content-range") ?? "");
  return status === 206 && range && (range[2] === "*" || Number(range[2]) === total) ? Number(range[1]) : null;
}

const missing: Readonly<Record<string, string>> = {
  RepoNotFound: "repository not found, or the token has no access",
  RevisionNotFound: "revision not found",
  EntryNotFound: "file not found in this revision",
};

function checkEndpoint(endpoint: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "" || url.search !== "")
    throw configError("endpoint must be an http or https address without credentials or query", { key: "endpoint" });
  return endpoint.replace(/\/+$/, "");
}

function checkToken(token: string | undefined): void {
  if (token !== undefined && !/^hf_[\x21-\x7e]+$/.test(token))
    throw configError("token must begin with hf_ and contain no white space", { key: "token" });
}

/** Max wait; hubs count requests in windows of five minutes. */
const longestWaitMs = 300_000;

/**
 * Wait before the next attempt; null if too long. `Retry-After` takes precedence: seconds, or a date relative to the
 * response's.
 * @param attempt - failed attempts so far, from 0
 */
export function retryDelayMs(attempt: number, headers: Headers | null): number | null {
  const stated = headers?.get("retry-after") ?? null;
  const doubling = Math.min(500 * 2 ** attempt, 30_000);
  if (stated === null || headers === null) return doubling;
  const ms = /^\d+$/.test(stated.trim())
    ? Number(stated) * 1000
    : Date.parse(stated) - Date.parse(headers.get("date") ?? "");
  if (!Number.isFinite(ms)) return doubling;
  return ms > longestWaitMs ? null : Math.max(0, ms);
}
