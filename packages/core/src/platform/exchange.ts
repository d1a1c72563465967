import { LaconicError } from "../errors.ts";
import { joinBytes } from "../files/bytes.ts";
import { networkCode, networkReason } from "../wire/network-error.ts";

/** Result of a request. */
export type Exchange =
  | { readonly kind: "reply"; readonly status: number; readonly headers: Headers; readonly bytes: Uint8Array }
  /** No reply. `sent`: the request may have arrived. `late`: timeout. */
  | { readonly kind: "silent"; readonly sent: boolean; readonly late: boolean; readonly reason: string };

export interface ExchangeOptions extends Pick<RequestInit, "method" | "headers" | "body"> {
  readonly signal?: AbortSignal | undefined;
  readonly maxBytes: number;
  readonly fetch?: typeof fetch | undefined;
}

/** Errors of requests that the server did not see. */
const refusals: readonly (string | null)[] = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"];

/**
 * Sends a request and reads the whole reply. Redirects are refused, because they would carry the key.
 * @throws LaconicError `aborted`, except a `TimeoutError`; `reply_malformed` for too many bytes
 */
export async function exchange(url: string, options: ExchangeOptions): Promise<Exchange> {
  const { signal, maxBytes, fetch: send = fetch, ...init } = options;
  try {
    const reply = await send(url, { ...init, redirect: "manual", signal: signal ?? null });
    const tooLong = (reason: string): LaconicError => new LaconicError("reply_malformed", `${url}: ${reason}`);
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
