import type { Failure } from "./protocol.ts";
import { plainHeaders } from "./static-files.ts";

/** A refusal as the pages read it. */
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

/** Of answers with data: they are kept nowhere, and no page of their own. */
export function dataHeaders(type: string): Record<string, string> {
  return {
    ...plainHeaders,
    "content-type": type,
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  };
}

/** What any failure looks like from outside; what is not the asker's doing tells nothing of the inside. */
export function failureResponse(error: unknown, onError: (error: unknown) => void): Response {
  const known = error instanceof ViewError ? error : null;
  if (!known) onError(error);
  const { code, message } = known ?? { code: "server_error", message: "the server failed; its log says why" };
  const failure: Failure = { error: { code, message } };
  return jsonResponse(failure, known?.status ?? 500);
}
