import { LaconicError } from "@laconic/core";
import { failureWords, throwIfStopped, type HubConnection } from "./hub-connection.ts";

/** A request for the bytes of one file. */
export interface TransferContext {
  readonly hub: HubConnection;
  /** Below the endpoint. */
  readonly path: string;
  readonly signal: AbortSignal | undefined;
}

/** Where the bytes go. */
export interface Sink {
  /** Bytes that are there. */
  readonly position: number;
  /** Bytes when all are there. */
  readonly end: number;
  /** The value of the range header; null for the whole file. */
  range(): string | null;
  /** Checks a response before its first byte. */
  begin(response: Response): Promise<void> | void;
  add(piece: Uint8Array): Promise<void> | void;
  /** Called with an error that is not final, before the next attempt. */
  recover?(error: unknown): Promise<void>;
}

/**
 * Reads a file until the sink has all bytes: an interrupted transfer resumes, and is repeated up to five times without progress.
 * @throws LaconicError of the sink, `hub_unavailable`, `aborted`
 */
export async function transfer(name: string, { hub, path, signal }: TransferContext, sink: Sink): Promise<void> {
  for (let failures = 0; sink.position < sink.end;) {
    const before = sink.position;
    const range = sink.range();
    const response = await hub.stream(path, { "accept-encoding": "identity", ...(range !== null && { range }) });
    let reason = "too few bytes";
    try {
      await sink.begin(response);
      for await (const piece of bodyOf(response)) await sink.add(piece);
    } catch (error) {
      await response.body?.cancel().catch(() => undefined);
      throwIfStopped(signal);
      if (LaconicError.is(error)) throw error;
      await sink.recover?.(error);
      reason = failureWords(error);
    }
    if (sink.position === sink.end) return;
    if (sink.position > before) failures = 0;
    await hub.pause(failures++, `the transfer of ${name} broke off (${reason})`);
  }
}

/** The first byte of a response; null for a response that is no part of a file of this size. */
export function startOf({ status, headers }: Response, total: number): number | null {
  if (status === 200) return 0;
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get("content-range") ?? "");
  return status === 206 && range && (range[2] === "*" || Number(range[2]) === total) ? Number(range[1]) : null;
}

/** The pieces of a response. An early return ends the transfer. */
async function* bodyOf(response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      const { done, value } = (await reader.read()) as { done: boolean; value: Uint8Array };
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
