import { tryParseJson, withoutKey } from "@laconic/core";
import { networkReason } from "@laconic/core/wire";

/** `fetch` of the platform, or one that stands in for it. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** How servers are asked. */
export interface HttpOptions {
  /** Where the server is; user and password in it go into a header. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: Fetch;
}

/** An answer that is none. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly status: number;
  /** The server's own name of what is wrong, where it has one. */
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Whether the same may be taken another time: no answer, too many requests, or a fault of the server's. */
export function isPassingError(error: unknown): boolean {
  return !(error instanceof HttpError) || error.status === 408 || error.status === 429 || error.status >= 500;
}

/** Most of an answer that is read, for messages. */
const maxDetail = 300;

/** Asks with JSON, and reads JSON. @throws HttpError for a status of 400 or more */
export function httpClient({ url, headers = {}, fetch = globalThis.fetch }: HttpOptions): {
  ask(method: "GET" | "POST" | "PUT", path: string, body: unknown, signal: AbortSignal): Promise<unknown>;
} {
  const { base, authorization } = partsOf(url);
  const secrets = [authorization ?? "", ...Object.values(headers)];
  const shown = (text: string): string => secrets.reduce(withoutKey, text).slice(0, maxDetail);
  return {
    async ask(method, path, body, signal) {
      const isText = typeof body === "string";
      const place = `${method} ${base}${path.replace(/\?.*/u, "")}`;
      const broken = (error: unknown): never => {
        throw new Error(`${place}: ${networkReason(error)}`, { cause: error });
      };
      const response = await fetch(`${base}${path}`, {
        method,
        signal,
        headers: {
          ...(authorization !== undefined && { authorization }),
          ...headers,
          ...(body !== undefined && { "content-type": isText ? "text/plain" : "application/json" }),
        },
        ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
      }).catch(broken);
      const text = await response.text().catch(broken);
      if (response.ok) {
        const value = tryParseJson(text);
        if (value !== undefined || text === "") return value;
        throw new Error(`${place}: status ${response.status} without JSON; it began ${JSON.stringify(shown(text))}`);
      }
      const answer = (tryParseJson(text) ?? {}) as Readonly<Record<string, unknown>>;
      const message = [answer["message"], answer["error"], text].find((each) => typeof each === "string") ?? "";
      const code = typeof answer["error_code"] === "string" ? answer["error_code"] : "";
      throw new HttpError(response.status, code, `${place}: ${response.status} ${shown(message)}`);
    },
  };
}

function partsOf(url: string): { readonly base: string; readonly authorization?: string } {
  const { username, password, origin, pathname } = new URL(url);
  const base = `${origin}${pathname}`.replace(/\/+$/u, "");
  if (username === "") return { base };
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { base, authorization: basicAuthorization(pair) };
}

/** @param pair - `user:password` */
function basicAuthorization(pair: string): string {
  return `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(pair)))}`;
}
