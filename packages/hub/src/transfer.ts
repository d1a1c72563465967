import { LaconicError } from "@laconic/core";
import { failureWords, throwIfStopped, type HubConnection } from "./hub-connection.ts";

/** Request for the bytes of one file. */
export interface TransferContext {
  readonly hub: HubConnection;
  /** Relative to the endpoint. */
  readonly path: string;
  readonly signal: AbortSignal | undefined;
}

/** Target of the bytes. */
export interface Sink {
  /** Bytes written so far. */
  readonly position: number;
  /** Total bytes. */
  readonly end: number;
  /** Value of the range header; null for the whole file. */
  range(): string | null;
  /** Checks a response before its first byte. */
  begin(response: Response): Promise<void> | void;
  add(piece: Uint8Array): Promise<void> | void;
  /** Called for a temporary error, before the next attempt. */
  recover?(error: unknown): Promise<void>;
}

/**
 * Reads a file until the sink has all bytes. An interrupted transfer resumes, with up to five attempts without
 * progress.
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

/** Offset of a response's first byte; null if it is not part of a file of this size. */
export function startOf({ status, headers }: Response, total: number): number | null {
  if (status === 200) return 0;
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get("content-range") ?? "");
  return status === 206 && range && (range[2] === "*" || Number(range[2]) === total) ? Number(range[1]) : null;
}

/** Pieces of a response. An early return ends the transfer. */
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
