import { ClientGone } from "./client-gone.ts";

export interface EventSource {
  /** Sends events until it is done. */
  readonly produce: (send: (event: unknown) => void) => Promise<unknown>;
  /** Aborted when the reader cancels. */
  readonly gone: AbortController;
  /** The event for a failure on the way. */
  readonly describe: (error: unknown) => unknown;
  /** Each event has its `type` as name, and nothing follows the last. */
  readonly isNamed: boolean;
}

/**
 * Server-sent events; unnamed ones have `[DONE]` last. The response is there with the first event: until then a refusal can still have its own
 * status. What nobody reads any more breaks off, and never ends as if it were whole.
 * @throws what `produce` throws before its first event
 */
export function eventStream({ produce, gone, describe, isNamed }: EventSource): Promise<Response> {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  const body = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
    },
    cancel() {
      controller = null;
      gone.abort();
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
      controller = null; // replies that end later have nobody to tell
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
          write(describe(error));
          close();
        } else reject(error);
      },
    );
  });
}
