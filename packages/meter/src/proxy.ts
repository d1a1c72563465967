import { once } from "node:events";
import { createServer, request as httpRequest, type ClientRequest } from "node:http";
import type { IncomingMessage, RequestOptions, Server, ServerResponse } from "node:http";
import { request as httpsRequest } from "node:https";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { foreignCaller, networkReason } from "@laconic/core/wire";
import type { Spending } from "./limits.ts";
import { keyOf, namesOf } from "./recognition.ts";
import { isModelCall } from "./read-request.ts";
import { noReply, type Ending, type OpenCall, type Recorder } from "./recorder.ts";

/** Options of {@link meterProxy}. */
export interface ProxyOptions {
  readonly recorder: Recorder;
  /** Base URLs, such as `https://api.openai.com/v1`. Anthropic's calls are recognised by their path or header. */
  readonly upstream: { readonly openai: string; readonly anthropic: string };
  /** Gets its calls from the recorder's `onCall`. */
  readonly spending: Spending;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Larger replies pass, but are recorded without their text and counts. */
const maxReplyBytes = 2 ** 26;

/** Headers of one connection, and the meter's. */
const withheld: ReadonlySet<string> = new Set(
  "connection keep-alive proxy-connection te trailer upgrade host x-laconic-agent x-laconic-task".split(" "),
);

/**
 * HTTP proxy that does not listen yet. Bodies and headers pass unchanged in both directions; keys go only to the
 * upstream. Failures of the recorder do not affect calls.
 */
export function meterProxy(options: ProxyOptions): Server {
  return createServer({ keepAliveTimeout: 65_000, requestTimeout: 0 }, (incoming, outgoing) => {
    pass(options, incoming, outgoing).catch(() => outgoing.destroy());
  });
}

async function pass(options: ProxyOptions, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { recorder, spending, now } = options;
  const { headers, method, url = "/" } = incoming;
  const foreign = foreignCaller(headers.host ?? "", headers.origin ?? null, []);
  if (foreign !== null) return refuse(outgoing, 403, `laconic meter: ${foreign.message}`);
  const { names, path } = namesOf(headers, url);
  const plainPath = path.replace(/\?.*$/su, "");
  const body = isModelCall(method, plainPath) ? await buffer(incoming) : null;
  const call = body && recorder.begin(new TextDecoder().decode(body), plainPath, names, keyOf(headers));
  const reservation = call && spending.reserve({ ...call, time: new Date(now()).toISOString() });
  if (typeof reservation === "string") {
    call?.end({ ...noReply, status: 429, isCut: false });
    return refuse(outgoing, 429, `laconic meter: ${reservation}`);
  }
  const upstream = send(targetOf(options.upstream, headers, path), incoming);
  outgoing.once("close", () => upstream.destroy());
  if (body) upstream.end(body);
  else void pipeline(incoming, upstream).catch(() => undefined);
  await relay(upstream, outgoing, call, now);
  reservation?.();
}

/** Sends the reply while it arrives, and records it. */
async function relay(
  upstream: ClientRequest,
  outgoing: ServerResponse,
  call: OpenCall | null,
  now: () => number,
): Promise<void> {
  const started = now();
  const chunks: Uint8Array[] = [];
  const ending: { -readonly [K in keyof Ending]: Ending[K] } = { ...noReply };
  let size = 0;
  try {
    const [reply] = (await once(upstream, "response")) as [IncomingMessage];
    ending.status = reply.statusCode ?? 0;
    ending.encoding = reply.headers["content-encoding"] ?? "";
    outgoing.writeHead(ending.status, reply.statusMessage, passed(reply.rawHeaders));
    outgoing.flushHeaders();
    reply.on("data", (chunk: Uint8Array) => {
      if (size === 0) ending.firstMilliseconds = now() - started;
      size += chunk.length;
      if (call && size <= maxReplyBytes) chunks.push(chunk);
    });
    await pipeline(reply, outgoing);
    ending.isCut = false;
  } catch (error) {
    if (outgoing.headersSent) outgoing.destroy();
    else refuse(outgoing, 502, `laconic meter: the upstream failed: ${networkReason(error)}`);
  }
  if (size <= maxReplyBytes) ending.body = Buffer.concat(chunks);
  call?.end(ending);
}

function send(target: URL, { method, rawHeaders }: IncomingMessage): ClientRequest {
  const headers = [...passed(rawHeaders), "Host", target.host];
  const options: RequestOptions = { method, headers };
  return target.protocol === "https:" ? httpsRequest(target, options) : httpRequest(target, options);
}

/** Pairs of names and values in their order and case, without those of the connection. */
function passed(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_, i) => !withheld.has((rawHeaders[i - (i % 2)] ?? "").toLowerCase()));
}

/** Address of a request at its provider. A base URL that ends with `/v1` replaces the client's `/v1`. */
export function targetOf(upstream: ProxyOptions["upstream"], headers: IncomingMessage["headers"], path: string): URL {
  const isAnthropic = headers["anthropic-version"] !== undefined || /^(?:\/v1)?\/messages\b/u.test(path);
  const base = (isAnthropic ? upstream.anthropic : upstream.openai).replace(/\/+$/u, "");
  return new URL(base + (base.endsWith("/v1") ? path.replace(/^\/v1(?=\/)/u, "") : path));
}

/** Error in the form of OpenAI and Anthropic. Their clients retry failures of the upstream, and no limit. */
function refuse(outgoing: ServerResponse, status: number, message: string): void {
  const type = status === 429 ? "insufficient_quota" : "api_error";
  const body = JSON.stringify({ type: "error", error: { type, message, code: type, param: null } });
  outgoing.writeHead(status, { "content-type": "application/json", "x-should-retry": String(status >= 500) }).end(body);
}
