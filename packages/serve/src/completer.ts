import { setMaxListeners } from "node:events";
import { clientGone, errorBody, HttpError, invalid, jsonResponse, refusalOf } from "./http.ts";
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

export class Completer {
  readonly #settings: Pick<Required<ServerSettings>, "maxConcurrency" | "onError">;
  #running = 0;

  constructor(settings: Pick<Required<ServerSettings>, "maxConcurrency" | "onError">) {
    this.#settings = settings;
  }

  get running(): number {
    return this.#running;
  }

  /**
   * @param onEnd - called once after the last reply
   * @throws HttpError 429 for too many replies in progress, 499 for a client that left, and the errors of `make`
   */
  async complete(
    { count, isStreamed, make, errorOf }: Replies,
    request: Request,
    onEnd: () => void = () => undefined,
  ): Promise<Response> {
    const { maxConcurrency, onError } = this.#settings;
    if (count > maxConcurrency) throw invalid(`n: expected at most ${maxConcurrency} replies, got ${count}`, "n");
    if (this.#running + count > maxConcurrency)
      throw new HttpError(429, `${maxConcurrency} replies are already in progress`);
    this.#running += count;
    const gone = new AbortController();
    setMaxListeners(0, gone.signal); // each reply adds a listener
    const leave = (): void => gone.abort();
    if (request.signal.aborted) leave();
    request.signal.addEventListener("abort", leave, { once: true });
    const makeAll = async (send: Send | null): Promise<unknown> => {
      try {
        return await make(gone.signal, send);
      } catch (error) {
        throw gone.signal.aborted ? clientGone() : error;
      } finally {
        request.signal.removeEventListener("abort", leave);
        gone.abort(); // a failed reply ends the others
        this.#running -= count;
        onEnd();
      }
    };
    if (!isStreamed) return jsonResponse(200, await makeAll(null));
    return eventStream(makeAll, leave, (error) => refusalOf(error, onError), errorOf);
  }
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
        if (!open) return reject(error);
        const refusal = refuse(error);
        if (refusal.status !== 499) {
          write((errorOf ?? errorBody)(refusal));
          return close();
        }
        controller?.error(refusal);
        controller = null;
      },
    );
  });
}
