import http from "node:http";
import https from "node:https";
import { LaconicError } from "../errors.ts";
import { joinBytes } from "../files/bytes.ts";
import { networkCode, networkReason } from "../wire/network-error.ts";

/** Result of a request. */
export type Exchange =
  | {
      readonly kind: "reply";
      readonly status: number;
      readonly headers: Pick<Headers, "get">;
      readonly bytes: Uint8Array;
    }
  /** No reply. `sent`: the request may have arrived. `late`: timeout. */
  | { readonly kind: "silent"; readonly sent: boolean; readonly late: boolean; readonly reason: string };

export interface ExchangeOptions {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly signal?: AbortSignal | undefined;
  readonly maxBytes: number;
  /** Default: Node's HTTP client, or a global `fetch` that was replaced. */
  readonly fetch?: typeof fetch | undefined;
}

const platformFetch = fetch;

/** Errors of requests that the server did not see. */
const refusals: readonly (string | null)[] = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"];

/**
 * Sends a request and reads the whole reply. Redirects are refused, because they would carry the key.
 * @throws LaconicError `aborted`, except a `TimeoutError`; `reply_malformed` for too many bytes
 */
export async function exchange(url: string, options: ExchangeOptions): Promise<Exchange> {
  const { signal, maxBytes, fetch: send = fetch === platformFetch ? null : fetch, ...init } = options;
  const tooLong = (reason: string): LaconicError => new LaconicError("reply_malformed", `${url}: ${reason}`);
  try {
    if (!send) return await exchangeOverHttp(url, options, tooLong);
    const reply = await send(url, { ...init, redirect: "manual", signal: signal ?? null });
    const bytes = await readBytes(reply.body, { maxBytes }, tooLong);
    return { kind: "reply", status: reply.status, headers: reply.headers, bytes };
  } catch (error) {
    if (LaconicError.is(error)) throw error;
    const late = signal?.aborted === true && (signal.reason as Error | undefined)?.name === "TimeoutError";
    if (signal?.aborted && !late) throw new LaconicError("aborted", `${url}: aborted`, {}, signal.reason);
    const reason = late ? "no reply in time" : networkReason(error);
    return { kind: "silent", sent: !refusals.includes(networkCode(error)), late, reason };
  }
}

/** The streams of `fetch` take the main thread longer than the rest of a large exchange. */
function exchangeOverHttp(
  url: string,
  options: ExchangeOptions,
  tooLong: (reason: string) => Error,
  agent?: false,
): Promise<Exchange> {
  const { body, maxBytes, ...init } = options;
  const { request } = url.startsWith("https:") ? https : http;
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...init, agent }, (reply) => {
      const pieces: Buffer[] = [];
      let size = 0;
      reply.on("data", (piece: Buffer) => {
        pieces.push(piece);
        size += piece.length;
        if (size > maxBytes) reply.destroy(tooLong(`a body of more than ${maxBytes} bytes`));
      });
      const { statusCode: status = 0 } = reply;
      const headers = { get: (name: string): string | null => reply.headers[name]?.toString() ?? null };
      reply.on("end", () => resolve({ kind: "reply", status, headers, bytes: joinBytes(pieces) }));
      reply.on("error", reject);
    });
    sent.on("error", (error) => {
      // The server may have closed an idle connection just before.
      const isStale = sent.reusedSocket && networkCode(error) === "ECONNRESET" && !init.signal?.aborted;
      if (isStale) resolve(exchangeOverHttp(url, options, tooLong, false));
      else reject(error);
    });
    sent.end(body);
  });
}

/**
 * Reads a body, and cancels it at its limits.
 * @param limits - `idleMs`: max milliseconds without a byte
 */
export async function readBytes(
  body: ReadableStream<Uint8Array> | null,
  { maxBytes, idleMs }: { readonly maxBytes: number; readonly idleMs?: number },
  fail: (reason: string, beginning: Uint8Array) => Error,
): Promise<Uint8Array> {
  const reader = body?.getReader();
  if (!reader) return new Uint8Array();
  const pieces: Uint8Array[] = [];
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  let [size, silent] = [0, false];
  const watch = (): ReturnType<typeof setTimeout> | undefined =>
    idleMs === undefined
      ? undefined
      : setTimeout(() => {
          silent = true;
          cancel();
        }, idleMs);
  let timer = watch();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      clearTimeout(timer);
      if (silent) throw fail(`no byte for ${idleMs} ms`, joinBytes(pieces));
      if (done) return joinBytes(pieces);
      pieces.push(value);
      size += value.length;
      if (size > maxBytes) throw fail(`a body of more than ${maxBytes} bytes`, joinBytes(pieces.slice(0, 1)));
      timer = watch();
    }
  } catch (error) {
    clearTimeout(timer);
    cancel();
    throw error;
  }
}
