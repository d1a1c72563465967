import { boundedJson } from "@laconic/core/json";
import { readBytes } from "@laconic/core/platform";

/** Reply that is not JSON. */
export class DamagedReply extends Error {
  readonly body: string;

  constructor(message: string, body: string) {
    super(message);
    this.name = "DamagedReply";
    this.body = body.slice(0, 500);
  }
}

/** Error status. The message has no server text; the body has all of it. */
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

export class RedirectedReply extends Error {
  /** 0 if the platform hides it. */
  readonly status: number;
  /** Origin and path; null if hidden or invalid. */
  readonly location: string | null;

  constructor(status: number, location: string | null) {
    super("a redirect");
    this.name = "RedirectedReply";
    this.status = status;
    this.location = location;
  }
}

export interface FetchLimits {
  readonly bodyBytes: number;
  readonly idleMs: number;
}

/**
 * `fetch` for unreliable APIs. Follows no redirects, because they would carry the key. Reads error bodies within
 * limits. Rejects with RedirectedReply, FailedReply, DamagedReply.
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

/** An error status counts even if its body is truncated. */
function beginningOf(error: unknown): string {
  if (error instanceof DamagedReply) return error.body;
  throw error;
}

/** The query may contain secrets. */
function locationOf({ headers, url, redirected }: Response): string | null {
  const target = redirected ? url : headers.get("location");
  const base = url || undefined;
  if (target === null || !URL.canParse(target, base)) return null;
  const { origin, pathname } = new URL(target, base);
  return `${origin}${pathname}`;
}

/** Reads the object of a success. @throws DamagedReply for other content, and beyond the limits */
export async function readReplyBody(response: Response, limits: FetchLimits): Promise<object> {
  const body = await readText(response, limits);
  try {
    const value: unknown = boundedJson(body);
    if (typeof value === "object" && value !== null) return value;
  } catch (error) {
    throw new DamagedReply(`status ${response.status} without JSON (${(error as Error).message})`, body);
  }
  throw new DamagedReply(`status ${response.status} without a JSON object`, body);
}

async function readText({ body }: Response, { bodyBytes, idleMs }: FetchLimits): Promise<string> {
  const text = new TextDecoder();
  const damaged = (reason: string, beginning: Uint8Array): Error => new DamagedReply(reason, text.decode(beginning));
  return text.decode(await readBytes(body, { maxBytes: bodyBytes, idleMs }, damaged));
}
