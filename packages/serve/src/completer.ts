import { setMaxListeners } from "node:events";
import { ClientGone, errorBody, HttpError, invalid, jsonResponse, refusalOf } from "./http.ts";
import type { ServerSettings } from "./options.ts";

export type Send = (chunk: unknown) => void;

export interface Replies {
  readonly count: number;
  readonly isStreamed: boolean;
  /**
   * @param signal - aborted when the client disconnects or a reply fails
   * @param send - receives stream chunks; null for a whole answer
   */
  readonly make: (signal: AbortSignal, send: Send | null) => Promise<unknown>;
  readonly errorOf?: (refusal: HttpError) => unknown;
}

/** Produces replies with limited concurrency. */
export interface Completer {
  running(): number;
  /**
   * @param onEnd - called once after the last reply
   * @throws HttpError 429 for too many replies in progress, and the errors of `make`
   */
  complete(replies: Replies, request: Request, onEnd?: () => void): Promise<Response>;
}

export function createCompleter({
  maxConcurrency,
  onError,
}: Pick<Required<ServerSettings>, "maxConcurrency" | "onError">): Completer {
  let running = 0;
  return {
    running: () => running,
    async complete({ count, isStreamed, make, errorOf }, request, onEnd = () => undefined) {
      if (count > maxConcurrency) throw invalid(`n: expected at most ${maxConcurrency} replies, got ${count}`, "n");
      if (running + count > maxConcurrency)
        throw new HttpError(429, "rate_limit_error", `${maxConcurrency} replies are already in progress`);
      running += count;
      const gone = new AbortController();
      setMaxListeners(0, gone.signal); // each reply adds a listener
      const leave = (): void => gone.abort();
      if (request.signal.aborted) leave();
      request.signal.addEventListener("abort", leave, { once: true });
      const makeAll = async (send: Send | null): Promise<unknown> => {
        try {
          return await make(gone.signal, send);
        } catch (error) {
          throw gone.signal.aborted ? new ClientGone(error) : error;
        } finally {
          request.signal.removeEventListener("abort", leave);
          gone.abort(); // a failed reply ends the others
          running -= count;
          onEnd();
        }
      };
      if (!isStreamed)
        return makeAll(null).then(
          (answer) => jsonResponse(200, answer),
          (error: unknown) => {
            if (error instanceof ClientGone) return error.toResponse();
            throw error;
          },
        );
      return eventStream(makeAll, leave, (error) => refusalOf(error, onError), errorOf);
    },
  };
}

/**
 * Streams events; unnamed ones end with `[DONE]`. Resolves with the first event, so that an earlier error has an HTTP
 * status. A client that disconnects aborts the stream, so it never looks complete.
 * @param errorOf - its events are named by their `type`, without `[DONE]`
 * @throws the errors of `produce` before its first event
 */
function eventStream(
  produce: (send: Send) => Promise<unknown>,
  onCancel: () => void,
  refuse: (error: unknown) => HttpError,
  errorOf: Replies["errorOf"],
): Promise<Response> {
  const isNamed = errorOf !== undefined;
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  const body = new ReadableStream<Uint8Array>({
    start(created) {
      controller = created;
    },
    cancel() {
      controller = null;
      onCancel();
    },
  });
  const headers = { "content-type": "text/event-stream", "cache-control": "no-store" };
  return new Promise((resolve, reject) => {
    let open = false;
    const put = (text: string): void => {
      controller?.enqueue(encoder.encode(text));
      if (!open) resolve(new Response(body, { headers }));
      open = true;
    };
    const write = (event: unknown): void => {
      const name = isNamed ? `event: ${(event as { readonly type: string }).type}\n` : "";
      put(`${name}data: ${JSON.stringify(event)}\n\n`);
    };
    const close = (): void => {
      controller?.close();
      controller = null; // later replies have no reader
    };
    produce(write).then(
      () => {
        if (!isNamed) put("data: [DONE]\n\n");
        close();
      },
      (error: unknown) => {
        if (error instanceof ClientGone) {
          controller?.error(error);
          controller = null;
          resolve(error.toResponse());
        } else if (open) {
          write((errorOf ?? errorBody)(refuse(error)));
          close();
        } else reject(error);
      },
    );
  });
}
