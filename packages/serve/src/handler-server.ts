import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { CompletionHandler } from "./completion-handler.ts";
import { errorBody, invalid } from "./http.ts";

/**
 * A handler behind a server of Node's, which does not listen yet.
 * @param onError - hears failures that are not the client's doing
 */
export function createHandlerServer(handler: CompletionHandler, onError: (error: unknown) => void): Server {
  return createServer((incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.once("close", () => gone.abort());
    answer(handler, incoming, outgoing, gone.signal).catch((error: unknown) => {
      if (!gone.signal.aborted) onError(error);
      outgoing.destroy();
    });
  });
}

async function answer(
  handler: CompletionHandler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const request = requestOf(incoming, signal);
  const { status, headers, body } = request ? await handler(request) : refusal();
  if (signal.aborted) return body?.cancel();
  outgoing.writeHead(status, Object.fromEntries(headers));
  if (body) await pipeline(Readable.fromWeb(body), outgoing);
  else outgoing.end();
}

/** @returns null for what the Fetch API has no request for */
function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request | null {
  const { method = "GET", url = "/", headers } = incoming;
  try {
    const { pathname, search } = new URL(url, "http://localhost");
    return new Request(`http://localhost${pathname}${search}`, {
      method,
      signal,
      headers: [
        ...Object.entries(headers).flatMap(([name, value]) =>
          name === "host" ? [] : [value ?? []].flat().map((each): [string, string] => [name, each]),
        ),
        // Without one, the address above must not count as one.
        ["host", headers.host ?? ""],
      ],
      ...(method !== "GET" && method !== "HEAD" && { body: Readable.toWeb(incoming), duplex: "half" }),
    });
  } catch {
    return null;
  }
}

function refusal(): Response {
  return Response.json(errorBody(invalid("the request's method or path is not one")), { status: 400 });
}
