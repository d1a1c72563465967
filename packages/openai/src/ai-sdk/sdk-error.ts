import { LaconicError } from "@laconic/core";
import { DamagedReply, FailedReply } from "../guarded-fetch.ts";

/** Errors of any copy of the SDK carry these. */
const [ofSdk, ofCall] = [Symbol.for("vercel.ai.error"), Symbol.for("vercel.ai.error.AI_APICallError")] as const;

/** Errors by which the SDK says that nothing was sent. Behind any other, a reply may have come. */
const unsent: ReadonlySet<string> = new Set([
  "AI_InvalidArgumentError",
  "AI_InvalidPromptError",
  "AI_LoadAPIKeyError",
  "AI_LoadSettingError",
  "AI_NoSuchModelError",
  "AI_UnsupportedFunctionalityError",
]);

interface CallError extends Error {
  readonly statusCode?: number;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: string;
}

/**
 * What a provider of the AI SDK threw, in the words of this package: a status, a success that is no completion, a request that can
 * not be made at all. A connection that broke, an abort and what is not the SDK's stay as they are.
 */
export function understood(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (isCallError(error)) {
    const { statusCode, responseHeaders = {}, responseBody } = error;
    if (statusCode === undefined) return error;
    const body = responseBody ?? error.message;
    if (statusCode >= 200 && statusCode < 300) return new DamagedReply(error.message, body);
    return new FailedReply(statusCode, headersOf(responseHeaders), body);
  }
  if (!(ofSdk in error)) return error;
  const reason = `${error.name}: ${error.message}`.slice(0, 500);
  return unsent.has(error.name) ? new LaconicError("api_refused", reason, {}, error) : new DamagedReply(reason, "");
}

function isCallError(error: Error): error is CallError {
  return ofCall in error;
}

/** Without those that are none. */
function headersOf(given: Readonly<Record<string, string>>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given))
    if (/^[\w-]+$/u.test(name) && /^[ -~]*$/u.test(value)) headers.set(name, value);
  return headers;
}
