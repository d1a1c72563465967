import type { ViewEvent } from "./protocol.ts";
import type { ViewData } from "./data/folder-data.ts";
import { dataHeaders } from "./failure.ts";

/** Events that wait for a slow reader: of a run, the last. */
const keyOf = (event: ViewEvent): string => (event.type === "run" ? `run ${event.id}` : event.type);

/** Streams of server-sent events, each ended by who reads it or by the server. */
export class EventStreams {
  readonly #open = new Set<() => void>();

  /** How many are read now. */
  get count(): number {
    return this.#open.size;
  }

  response(data: Pick<ViewData, "listen">, signal: AbortSignal): Response {
    const encoder = new TextEncoder();
    const waiting = new Map<string, ViewEvent>();
    let end: (() => void) | null = null;
    const send = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      if ((controller.desiredSize ?? 0) <= 0 || waiting.size === 0) return;
      const text = Array.from(waiting.values(), (event) => `data: ${JSON.stringify(event)}\n\n`).join("");
      waiting.clear();
      controller.enqueue(encoder.encode(text));
    };
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          // The answer begins at once, so that the page knows that it listens.
          controller.enqueue(encoder.encode("retry: 1000\n\n"));
          const stop = data.listen((event) => {
            waiting.set(keyOf(event), event);
            send(controller);
          });
          const finish = (): void => {
            end?.();
            controller.close();
          };
          end = () => {
            end = null;
            stop();
            signal.removeEventListener("abort", finish);
            this.#open.delete(finish);
          };
          signal.addEventListener("abort", finish);
          this.#open.add(finish);
        },
        pull: send,
        cancel: () => end?.(),
      },
      { highWaterMark: 8 },
    );
    return new Response(body, { headers: dataHeaders("text/event-stream") });
  }

  close(): void {
    for (const finish of this.#open) finish();
  }
}
