import type { ViewEvent } from "./protocol.ts";
import type { ViewData } from "./data/folder-data.ts";
import { dataHeaders } from "./failure.ts";

/** The reader or the server ends a stream. */
export class EventStreams {
  readonly #open = new Set<() => void>();

  response(data: Pick<ViewData, "listen">, signal: AbortSignal): Response {
    const encoder = new TextEncoder();
    /** Last event of each run, for slow readers. */
    const waiting = new Map<string, ViewEvent>();
    const send = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      if ((controller.desiredSize ?? 0) <= 0 || waiting.size === 0) return;
      const text = Array.from(waiting.values(), (event) => `data: ${JSON.stringify(event)}\n\n`).join("");
      waiting.clear();
      controller.enqueue(encoder.encode(text));
    };
    let end = (): void => undefined;
    const start = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      // Tells the page at once that it is connected.
      controller.enqueue(encoder.encode("retry: 1000\n\n"));
      const stop = data.listen((event) => {
        waiting.set(event.type === "run" ? `run ${event.id}` : event.type, event);
        send(controller);
      });
      const finish = (): void => {
        end();
        controller.close();
      };
      end = () => {
        stop();
        signal.removeEventListener("abort", finish);
        this.#open.delete(finish);
      };
      signal.addEventListener("abort", finish);
      this.#open.add(finish);
    };
    const body = new ReadableStream<Uint8Array>({ start, pull: send, cancel: () => end() }, { highWaterMark: 8 });
    return new Response(body, { headers: dataHeaders("text/event-stream") });
  }

  close(): void {
    for (const finish of this.#open) finish();
  }
}
