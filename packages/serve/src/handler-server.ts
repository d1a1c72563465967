import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { LaconicError } from "@laconic/core";
import { errorBody, invalid, refusalResponse, type CompletionHandler } from "./http.ts";
import { checkCaller } from "./request-guard.ts";

/** How long a client may take, in milliseconds. */
export interface Patience {
  /** To send a request's head, and all of it. */
  readonly headMs: number;
  readonly requestMs: number;
  /** To take anything at all of what is ready for it. */
  readonly readMs: number;
}

/** Who may ask: see {@link checkCaller}. This machine's own pages and programs by default. */
export interface Callers {
  readonly hosts: readonly string[];
  readonly apiKey: string | null;
}

const patience: Patience = { headMs: 20_000, requestMs: 60_000, readMs: 60_000 };

/**
 * A handler behind a server of Node's, which does not listen yet. What a page from elsewhere makes a browser send gets status 403, who drips
 * a request 408, and who reads nothing is cut. The key itself is the handler's to check.
 * @param onError - hears failures that are not the client's doing
 */
export function createHandlerServer(
  handler: CompletionHandler,
  onError: (error: unknown) => void,
  given: Partial<Patience & Callers> = {},
): Server {
  const { headMs, requestMs, readMs, hosts, apiKey } = { ...patience, hosts: [], apiKey: null, ...given };
  const guarded: CompletionHandler = async (request) => {
    try {
      checkCaller(request, hosts, apiKey);
    } catch (error) {
      return refusalResponse(error, onError);
    }
    return handler(request);
  };
  const limits = {
    // Whoever pauses for less finds its connection open; Node's five seconds end many between two requests.
    keepAliveTimeout: 65_000,
    headersTimeout: headMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.min(headMs, 5000),
  };
  return createServer(limits, (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.once("close", () => gone.abort());
    // A reply that takes long to make leaves nothing unread.
    outgoing.setTimeout(readMs, () => {
      if (outgoing.writableLength > 0 || (outgoing.socket?.writableLength ?? 0) > 0) outgoing.destroy();
    });
    answer(guarded, incoming, outgoing, gone.signal).catch((error: unknown) => {
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
  const { status, headers, body } = request
    ? await handler(request)
    : Response.json(errorBody(invalid("the request's method or path is not one")), { status: 400 });
  incoming.resume(); // what nobody read of a refused request stands before the next one on its connection
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
      ...(method !== "GET" && method !== "HEAD" && { body: bodyOf(incoming), duplex: "half" }),
    });
  } catch {
    return null;
  }
}

/** Who stops reading does not cut the connection, on which the answer is to go out. */
function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  return ReadableStream.from(incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>);
}

/** @throws LaconicError `config_invalid` when the address cannot be listened on, with the system's code */
export async function listen(server: Server, port: number, host: string): Promise<void> {
  try {
    await new Promise<void>((done, fail) => {
      server.once("error", fail);
      server.listen(port, host, done);
    });
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    const reasons: Readonly<Record<string, string>> = {
      EADDRINUSE: "the port is in use; choose another with --port, or 0 for a free one",
      EACCES: "this user may not listen on the port; choose one from 1024 with --port",
      EADDRNOTAVAIL: "the address is not this machine's; choose another with --host",
      ENOTFOUND: "the name is unknown; choose another with --host",
    };
    throw new LaconicError(
      "config_invalid",
      `cannot listen on ${host}:${port}: ${reasons[code] ?? message}`,
      { host, port, code },
      error,
    );
  }
}

/** The port that a server listens on. */
export function boundPort(server: Server, port: number): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

/** Interval in which idle connections are closed. */
const sweepMs = 50;

/** Stops listening, lets replies in progress end, and cuts every connection after `graceMs`. Resolves when all are closed. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((done) => server.close(() => done()));
  const idle = (): void => server.closeIdleConnections();
  idle();
  const sweep = setInterval(idle, sweepMs);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}
