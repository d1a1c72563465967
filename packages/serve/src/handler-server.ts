import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { configError } from "@laconic/core";
import { errorBody, invalid, refusalResponse, type CompletionHandler } from "./http.ts";
import { checkCaller } from "./request-guard.ts";

/** Time limits of clients in milliseconds. */
export interface Patience {
  readonly headMs: number;
  readonly requestMs: number;
  /** Milliseconds without any read of pending data. */
  readonly readMs: number;
}

const patience: Patience = { headMs: 20_000, requestMs: 60_000, readMs: 60_000 };

/**
 * Node server that does not listen yet. Foreign pages get status 403, slow requests 408, and clients that stop reading
 * are disconnected. The handler checks the key.
 * @param input - hosts and key: see `checkCaller`. Default: this machine
 * @param onError - called for failures that the client did not cause
 */
export function createHandlerServer(
  handler: CompletionHandler,
  onError: (error: unknown) => void,
  input: Partial<Patience & { readonly hosts: readonly string[]; readonly apiKey: string | null }> = {},
): Server {
  const { headMs, requestMs, readMs, hosts, apiKey } = { ...patience, hosts: [], apiKey: null, ...input };
  const guarded: CompletionHandler = async (request) => {
    try {
      checkCaller(request, hosts, apiKey);
    } catch (error) {
      return refusalResponse(error, onError);
    }
    return handler(request);
  };
  const limits = {
    // Node's five seconds end many connections between two requests.
    keepAliveTimeout: 65_000,
    headersTimeout: headMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.min(headMs, 5000),
  };
  return createServer(limits, (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.once("close", () => gone.abort());
    // A slow reply has no pending data, so it is not cut.
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
    : Response.json(errorBody(invalid("the request has an invalid method or path")), { status: 400 });
  incoming.resume(); // discards the unread body of a refused request, so that the connection can be reused
  if (signal.aborted) return body?.cancel();
  outgoing.writeHead(status, Object.fromEntries(headers));
  if (body) await pipeline(Readable.fromWeb(body), outgoing);
  else outgoing.end();
}

/** @returns null for requests that the Fetch API cannot represent */
function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request | null {
  const { method = "GET", url = "/", headers } = incoming;
  try {
    const { pathname, search } = new URL(url, "http://localhost");
    return new Request(`http://localhost${pathname}${search}`, {
      method,
      signal,
      headers: [
        ...Object.entries(headers).flatMap(([name, value]) =>
          name === "host" ? [] : [value ?? []].flat().map((text): [string, string] => [name, text]),
        ),
        // Without this header, the address above would count as the host.
        ["host", headers.host ?? ""],
      ],
      // The connection stays open for the answer after an early end of reading.
      ...(method !== "GET" &&
        method !== "HEAD" && {
          body: ReadableStream.from(incoming.iterator({ destroyOnReturn: false })),
          duplex: "half",
        }),
    });
  } catch {
    return null;
  }
}

/** @throws LaconicError `config_invalid` with the system's code */
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
      EADDRNOTAVAIL: "the address is not of this machine; choose another with --host",
      ENOTFOUND: "the name is unknown; choose another with --host",
    };
    throw configError(`cannot listen on ${host}:${port}: ${reasons[code] ?? message}`, { host, port, code }, error);
  }
}

/** Port that a server listens on. */
export function boundPort(server: Server, port: number): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

const sweepMs = 50;

/** Waits for running replies, and closes all connections after `graceMs`. */
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
