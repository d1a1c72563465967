import { boundedJson } from "@laconic/core/json";
import { readBytes } from "@laconic/core/platform";

/** A reply that came, and is no JSON. */
export class DamagedReply extends Error {
  /** The beginning of what came. */
  readonly body: string;

  constructor(message: string, body: string) {
    super(message);
    this.name = "DamagedReply";
    this.body = body.slice(0, 500);
  }
}

/** A reply that says that the request failed. Its message has nothing of the server's, its body all. */
export class FailedReply extends Error {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;

  constructor(status: number, headers: Headers, body: string) {
    super(`status ${status}`);
    this.name = "FailedReply";
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

/** A reply that sends the request elsewhere. */
export class RedirectedReply extends Error {
  /** 0 where the platform does not show it. */
  readonly status: number;
  /** Origin and path of where it points; null where that is not shown, or no address. */
  readonly location: string | null;

  constructor(status: number, location: string | null) {
    super("a redirect");
    this.name = "RedirectedReply";
    this.status = status;
    this.location = location;
  }
}

export interface FetchLimits {
  /** Bytes of a body. */
  readonly bodyBytes: number;
  /** Milliseconds without a byte. */
  readonly idleMs: number;
}

/**
 * `fetch` for an API that may misbehave: no redirect is followed, because it would carry the key, and the text of an error
 * is read within limits. A success is left for `readReplyBody`. Rejects with RedirectedReply, FailedReply, DamagedReply.
 */
export function guardedFetch(limits: FetchLimits, plain: typeof fetch = fetch): typeof fetch {
  return async (input, init) => {
    const response = await plain(input, { ...init, redirect: "manual" });
    const { ok, status, headers, type, redirected } = response;
    if (ok && !redirected) return response;
    if (redirected || type === "opaqueredirect" || (status >= 300 && status < 400)) {
      void response.body?.cancel().catch(() => undefined);
      throw new RedirectedReply(redirected ? 0 : status, locationOf(response));
    }
    throw new FailedReply(status, headers, await readText(response, limits).catch(beginningOf));
  };
}

/** The status of an error counts, however its text ends. */
function beginningOf(error: unknown): string {
  if (error instanceof DamagedReply) return error.body;
  throw error;
}

/** A query may hold what is nobody's business. */
function locationOf({ headers, url, redirected }: Response): string | null {
  const given = redirected ? url : headers.get("location");
  const base = url || undefined;
  if (given === null || !URL.canParse(given, base)) return null;
  const { origin, pathname } = new URL(given, base);
  return `${origin}${pathname}`;
}

/**
 * The object in a success.
 * @throws DamagedReply for anything else, and beyond the limits
 */
export async function readReplyBody(response: Response, limits: FetchLimits): Promise<object> {
  const body = await readText(response, limits);
  try {
    const value: unknown = boundedJson(body);
    if (typeof value === "object" && value !== null) return value;
  } catch (error) {
    throw new DamagedReply(`status ${response.status} without JSON (${(error as Error).message})`, body);
  }
  throw new DamagedReply(`status ${response.status} with no object`, body);
}

async function readText({ body }: Response, { bodyBytes, idleMs }: FetchLimits): Promise<string> {
  const text = new TextDecoder();
  const damaged = (reason: string, beginning: Uint8Array): Error => new DamagedReply(reason, text.decode(beginning));
  return text.decode(await readBytes(body, { maxBytes: bodyBytes, idleMs }, damaged));
}
