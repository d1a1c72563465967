import { LaconicError } from "@laconic/core";
import { boundedJson, exactJson, JsonText, type ExactJsonOptions } from "@laconic/core/json";
import { isSameSecret, readBytes } from "@laconic/core/platform";

/** Answers a request; never rejects. */
export type CompletionHandler = (request: Request) => Promise<Response>;

export class HttpError extends Error {
  readonly status: number;
  readonly parameter: string | null;
  /** Error code for programs; null if the status is enough. */
  readonly code: string | null;

  constructor(status: number, message: string, parameter: string | null = null, code: string | null = null) {
    super(message);
    [this.status, this.parameter, this.code] = [status, parameter, code];
  }
}

export function clientGone(): HttpError {
  return new HttpError(499, "the client disconnected");
}

export function invalid(message: string, parameter: string | null = null): HttpError {
  return new HttpError(400, message, parameter);
}

export function tooLongError(message: string, parameter: string | null = null): HttpError {
  return new HttpError(400, message, parameter, "context_length_exceeded");
}

export function noModel(name: string, served: readonly string[]): HttpError {
  const registry = `available: ${served.join(", ")}`;
  const message = `model ${name.slice(0, 256)} not found; ${registry}`;
  return new HttpError(404, message, "model", "model_not_found");
}

/** Unknown path; often a base URL lacks `/v1` or has it twice. */
export function noPath(path: string): HttpError {
  const meant = path.replace(/^(?:\/v1)*/u, "/v1");
  const hint =
    meant !== path && /^\/v1\/(?:chat\/completions|completions|responses|messages)$/u.test(meant)
      ? `; set the client's base URL so that the path is ${meant}`
      : "";
  return new HttpError(404, `path ${path} not found${hint}`);
}

export function modelCard(id: string, fields: object): object {
  return { id, object: "model", created: 0, owned_by: "laconic", ...fields };
}

/**
 * Converts an error; internal ones reveal nothing.
 * @param onError - called for errors that the client did not cause
 */
export function refusalOf(error: unknown, onError: (error: unknown) => void): HttpError {
  if (error instanceof HttpError) return error;
  if (LaconicError.is(error) && error.code === "input_invalid") {
    // An engine's message also names the position in its batch, which clients do not know.
    const { reason = error.message, contextLength } = error.detail;
    return (contextLength === undefined ? invalid : tooLongError)(String(reason));
  }
  onError(error);
  return new HttpError(500, "the server failed; see its log");
}

/** HTTP response, in OpenAI's format by default. */
export function refusalResponse(
  error: unknown,
  onError: (error: unknown) => void,
  errorOf: (refusal: HttpError) => unknown = errorBody,
): Response {
  const refusal = refusalOf(error, onError);
  const isLater = refusal.status === 429 || refusal.status === 503;
  return jsonResponse(refusal.status, errorOf(refusal), isLater ? { "retry-after": "1" } : {});
}

/** Decoded path. @throws HttpError 400 for an invalid one */
export function pathOf({ url }: Pick<Request, "url">): string {
  try {
    return decodeURIComponent(new URL(url).pathname);
  } catch {
    throw invalid("the request has an invalid path");
  }
}

export function jsonResponse(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  const bytes = new TextEncoder().encode(body instanceof JsonText ? body.text : JSON.stringify(body));
  return new Response(bytes, {
    status,
    headers: { "content-type": "application/json", "content-length": String(bytes.length), ...headers },
  });
}

/** OpenAI's error types by status; others are invalid requests. */
const errorTypes: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  429: "rate_limit_error",
  500: "server_error",
  503: "server_error",
};

export function errorBody({ status, message, parameter, code }: HttpError): { readonly error: object } {
  const type = errorTypes[status] ?? "invalid_request_error";
  return { error: { message, type, param: parameter, code } };
}

/**
 * Reads a JSON body. Foreign pages can send forms and plain text without a preflight, so the content type is required.
 * @param keep - keys of an object whose values stay `JsonText`
 * @throws HttpError 415 for another content type, 413 above the limit, 400 for invalid JSON
 */
export async function readJson(
  { headers, body }: Request,
  maxBytes: number,
  keep?: ExactJsonOptions["keep"],
): Promise<unknown> {
  const [type = ""] = (headers.get("content-type") ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/json")
    throw new HttpError(415, `expected content-type application/json, got ${type.trim() || "none"}`);
  const tooLarge = new HttpError(413, `the body is larger than ${maxBytes} bytes`);
  const bytes = await readBytes(body, { maxBytes }, () => tooLarge).catch((error: unknown) => {
    // A client that disconnects early is not a server error.
    throw error === tooLarge ? tooLarge : invalid("the body is incomplete");
  });
  try {
    const text = new TextDecoder().decode(bytes);
    return keep ? exactJson(text, { number: Number, keep }) : boundedJson(text);
  } catch (error) {
    throw invalid(`the body is not valid JSON: ${(error as Error).message.slice(0, 120)}`);
  }
}

/** Checks a bearer token, or `x-api-key` as Anthropic's clients send it. @throws HttpError 401 */
export function checkKey(headers: Headers, key: string | null): void {
  if (key === null) return;
  const bearer = isSameSecret(headers.get("authorization") ?? "", `Bearer ${key}`);
  if (!isSameSecret(headers.get("x-api-key") ?? "", key) && !bearer)
    throw new HttpError(401, "the API key is missing or wrong", null, "invalid_api_key");
}
