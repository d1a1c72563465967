import { setTimeout as sleep } from "node:timers/promises";
import { LaconicError, type ErrorDetail } from "@laconic/core";
import { hostOf, networkCode, networkReason } from "@laconic/core/wire";

/** Connection to a hub. */
export interface ConnectionOptions {
  readonly endpoint: string;
  readonly token?: string | undefined;
  readonly fetch: typeof fetch;
  readonly signal?: AbortSignal | undefined;
  /** Waits between attempts; for tests. */
  readonly wait?: ((ms: number, signal?: AbortSignal) => Promise<unknown>) | undefined;
  /** Requested item, for errors. */
  readonly place: string;
  /** Server name for errors. Default: the hub and its host. */
  readonly server?: string;
}

/** Retries requests. Errors contain no address, header or response text. */
export interface HubConnection {
  readonly endpoint: string;
  /** Server name for errors. */
  readonly server: string;
  readonly token: string | undefined;
  /** `fetch` for the hub's library; reads whole responses. */
  readonly fetch: typeof fetch;
  /** Returns a response with status 200, 206 or 416, with its body unread. */
  stream(path: string, headers: Readonly<Record<string, string>>): Promise<Response>;
  /** Waits before the next attempt. @throws LaconicError `hub_unavailable` after too many, `aborted` */
  pause(attempt: number, reason: string): Promise<void>;
}

/** Max consecutive failed attempts. */
const maxAttempts = 5;

/** Max bytes of a response in memory; one page of a listing has a thousand files. */
const maxAnswerBytes = 64 << 20;

/** @throws LaconicError `config_invalid` for an invalid endpoint or token */
export function connect(options: ConnectionOptions): HubConnection {
  const { token, signal, place } = options;
  const endpoint = checkEndpoint(options.endpoint);
  const server = options.server ?? `the hub at ${hostOf(endpoint)}`;
  checkToken(token);
  const wait = options.wait ?? ((ms: number, stop?: AbortSignal) => sleep(ms, undefined, { signal: stop }));

  const pause = async (attempt: number, reason: string, headers: Headers | null = null): Promise<void> => {
    const ms = attempt + 1 < maxAttempts ? retryDelayMs(attempt, headers) : null;
    if (ms === null) throw unavailable(server, place, reason, { attempts: attempt + 1 });
    await wait(ms, signal).catch((error: unknown) => {
      throwIfStopped(signal);
      throw error;
    });
  };

  /** @param finish - reads the response; its failure counts as a failed attempt */
  const ask = async <T>(
    url: URL,
    init: RequestInit,
    finish: (response: Response) => Promise<T>,
    accepted: readonly number[] = [],
  ): Promise<T> => {
    const headers = new Headers(init.headers);
    // The token is only sent to the hub, because a listing may name its next page anywhere.
    if (url.origin !== new URL(endpoint).origin) headers.delete("authorization");
    for (let attempt = 0; ; attempt++) {
      let response: Response | null = null;
      try {
        response = await options.fetch(url, { ...init, headers, ...(signal && { signal }) });
        if (response.ok || accepted.includes(response.status)) return await finish(response);
      } catch (error) {
        throwIfStopped(signal);
        if (LaconicError.is(error)) throw error;
        await pause(attempt, `the connection failed (${failureWords(error)})`);
        continue;
      }
      await response.body?.cancel().catch(() => undefined);
      if (response.status !== 429 && response.status < 500) throw refusal(server, place, response, token !== undefined);
      await pause(attempt, `it answered ${response.status}`, response.headers);
    }
  };

  return {
    endpoint,
    server,
    token,
    fetch: (input, init = {}) =>
      ask(new URL(input instanceof Request ? input.url : input), init, async (response) => {
        const { status, headers } = response;
        return new Response(await wholeBody(response, server, place), { status, headers });
      }),
    stream: (path, headers) =>
      ask(
        new URL(`${endpoint}/${path}`),
        { headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) } },
        async (response) => response,
        [416],
      ),
    pause,
  };
}

/** @throws LaconicError `hub_unavailable` for an oversized response */
async function wholeBody(response: Response, server: string, place: string): Promise<Blob | null> {
  if (response.body === null) return null;
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const piece of response.body) {
    bytes += piece.length;
    if (bytes > maxAnswerBytes)
      throw unavailable(server, place, `its answer is longer than ${maxAnswerBytes >> 20} MiB`);
    pieces.push(piece);
  }
  return new Blob(pieces);
}

/** @throws LaconicError `aborted` */
export function throwIfStopped(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new LaconicError("aborted", "the download was aborted");
}

export function unavailable(server: string, place: string, reason: string, detail: ErrorDetail = {}): LaconicError {
  return new LaconicError("hub_unavailable", `${place}: ${server} cannot be used: ${reason}`, detail);
}

/** Error code or name of a failed exchange. Messages are not used, because they may contain a signed address. */
export function failureWords(error: unknown): string {
  return networkCode(error) === null ? (error as Error).name : networkReason(error);
}

/** Missing item, by the response's `X-Error-Code`. */
const missing: Readonly<Record<string, string>> = {
  RepoNotFound: "there is no such repository, or the token may not see it",
  RevisionNotFound: "the repository has no such revision",
  EntryNotFound: "the revision has no such file",
};

function refusal(server: string, place: string, { status, headers }: Response, hasToken: boolean): LaconicError {
  const code = headers.get("x-error-code") ?? "";
  if (status === 404 || code in missing)
    return new LaconicError("checkpoint_missing", `${place}: ${missing[code] ?? `${server} does not know it`}`, {
      status,
    });
  const access = hasToken ? "the token has no access to it" : "it needs a token, or does not exist";
  const reason =
    code === "GatedRepo"
      ? "its owner asks for consent to terms; give it on the hub's page of the repository"
      : `it answered ${status}${status === 401 || status === 403 ? `: ${access}` : ""}`;
  return unavailable(server, place, reason, { status });
}

function checkEndpoint(endpoint: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "" || url.search !== "")
    throw new LaconicError("config_invalid", "endpoint must be an http or https address without credentials or query", {
      key: "endpoint",
    });
  return endpoint.replace(/\/+$/, "");
}

function checkToken(token: string | undefined): void {
  if (token !== undefined && !/^hf_[\x21-\x7e]+$/.test(token))
    throw new LaconicError("config_invalid", "token must begin with hf_ and hold no white space", { key: "token" });
}

/** Max wait for a hub, which counts requests in windows of five minutes. */
const longestWaitMs = 300_000;

/**
 * Wait before the next attempt; null if the hub asks for too long. `Retry-After` takes precedence: seconds, or a date
 * relative to the response's.
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
