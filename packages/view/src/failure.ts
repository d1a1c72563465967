import type { Failure } from "./protocol.ts";
import { plainHeaders } from "./static-files.ts";

/** Refusal with HTTP status. */
export class ViewError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    [this.status, this.code] = [status, code];
  }
}

export function jsonResponse(value: unknown, status = 200): Response {
  return new Response(JSON.stringify(value), { status, headers: dataHeaders("application/json") });
}

/** Headers of data responses: never cached, not a page. */
export function dataHeaders(type: string): Record<string, string> {
  return {
    ...plainHeaders,
    "content-type": type,
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  };
}

/** Reports internal failures to `onError`; the response does not describe them. */
export function failureResponse(error: unknown, onError: (error: unknown) => void): Response {
  const isRefusal = error instanceof ViewError;
  if (!isRefusal) onError(error);
  const { status, code, message } = isRefusal
    ? error
    : { status: 500, code: "server_error", message: "the server failed; its log says why" };
  return jsonResponse({ error: { code, message } } satisfies Failure, status);
}
