import { LaconicError, type ErrorDetail } from "@laconic/core";
import { tryParseJson } from "@laconic/core/json";
import { hostOf, networkReason, readFinishReason } from "@laconic/core/wire";
import { DamagedReply, FailedReply, RedirectedReply } from "./guarded-fetch.ts";
import { readUsage } from "./read-usage.ts";
import { fieldsOf, textOf } from "./reply-content.ts";
import { askedWaitMs, remedyFor, type Failure, type Remedy } from "./retry.ts";
import type { Secret } from "./secret.ts";
import { filteredPrompt, type ServerReply } from "./server-reply.ts";

export interface AskedServer {
  readonly model: string;
  readonly address: string;
  readonly key: Secret;
}

export interface FailedAttempt {
  readonly remedy: Remedy;
  /** Whether the server may have answered, and billed. */
  readonly charged: boolean;
  /** May contain the key. */
  readonly reason: string;
  toError(attempts: number): LaconicError;
}

/** The server behind the gateway may have answered. */
const unknownEnds: readonly number[] = [408, 504, 524];

/** Classifies an error of the SDK or this package. @param nowMs - milliseconds since 1970 */
export function failedAttempt(thrown: unknown, { model, address, key }: AskedServer, nowMs: number): FailedAttempt {
  if (LaconicError.is(thrown))
    return { remedy: { kind: "refused" }, charged: false, reason: thrown.message, toError: () => thrown };
  const failed = (
    attempt: Omit<FailedAttempt, "toError">,
    code: LaconicError["code"],
    message: (attempts: number) => string = () => attempt.reason,
    detail: ErrorDetail = {},
  ): FailedAttempt => ({
    ...attempt,
    toError: (attempts) =>
      new LaconicError(code, `${model} at ${hostOf(address)}: ${key.redact(message(attempts))}`, {
        model,
        attempts,
        ...detail,
      }),
  });
  const inner = innermost(thrown);
  if (inner instanceof RedirectedReply) {
    const { status, location } = inner;
    const reason = `the server redirects${location === null ? "" : ` to ${location}`}, which is not followed because the request has the key; set baseUrl to the target address`;
    return failed({ remedy: { kind: "refused" }, charged: false, reason }, "api_refused", () => reason, { status });
  }
  if (inner instanceof DamagedReply) {
    const { message: reason, body } = inner;
    const began = JSON.stringify(key.redact(body).slice(0, 120));
    return failed(
      { remedy: { kind: "retry-once" }, charged: true, reason },
      "reply_malformed",
      () => `${reason}; it begins ${began}`,
    );
  }
  const failure = failureOf(inner, nowMs);
  const { status } = failure;
  const attempt = {
    remedy: remedyFor(failure),
    charged: status === undefined || unknownEnds.includes(status) || isBilled(inner),
    reason: reasonOf(inner),
  };
  const { remedy, reason } = attempt;
  const isFull = failure.names?.includes("context_length_exceeded") === true;
  const detail = { ...(status !== undefined && { status }), ...(isFull && { contextFull: true }) };
  if (remedy.kind === "spent")
    return failed(attempt, "budget_refused", () => `the account has no credit (${reason})`, detail);
  if (remedy.kind === "refused") return failed(attempt, "api_refused", () => reason, detail);
  return failed(attempt, "api_unavailable", (attempts) => `no answer after ${attempts} attempts (${reason})`, detail);
}

/**
 * Returns the refusal in an error: Azure answers a filtered prompt with status 400 and `content_filter`.
 * @throws any other error unchanged
 */
export function refusalIn(thrown: unknown): ServerReply {
  const inner = innermost(thrown);
  const names = inner instanceof FailedReply && inner.status < 500 ? readErrorBody(inner.body).names : [];
  if (names.some((name) => readFinishReason(name) === "refusal")) return filteredPrompt;
  throw thrown;
}

/** The SDK wraps the errors of `fetch` as their cause. */
function innermost(thrown: unknown): unknown {
  return thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
}

/** Gateways report usage if the model behind them has answered. */
function isBilled(error: unknown): boolean {
  if (!(error instanceof FailedReply)) return false;
  const { promptTokens, completionTokens, costUsd = 0 } = readUsage([tryParseJson(error.body)].flat()[0]);
  return promptTokens + completionTokens + costUsd > 0;
}

function failureOf(error: unknown, nowMs: number): Failure {
  if (!(error instanceof FailedReply)) return {};
  const { status, headers } = error;
  const body = readErrorBody(error.body);
  // The gateway's headers take precedence over those it forwards.
  const waitMs = askedWaitMs(withFields(new Headers(headers), body.headers), status, body.retryMs, nowMs);
  return { status, names: body.names, ...(waitMs !== null && { waitMs }) };
}

/** Adds valid fields that are missing in the headers. */
export function withFields(headers: Headers, fields: Readonly<Record<string, string>>): Headers {
  for (const [name, value] of Object.entries(fields))
    if (/^[\w-]+$/u.test(name) && /^[ -~]*$/u.test(value) && !headers.has(name)) headers.set(name, value);
  return headers;
}

function reasonOf(error: unknown): string {
  if (error instanceof FailedReply) return `${error.status}: ${readErrorBody(error.body).message}`.slice(0, 500);
  return networkReason(error).slice(0, 500);
}

export interface ErrorBody {
  /** Message for people; no decision depends on it. */
  readonly message: string;
  /** Lower case: fields `code`, `type`, `status`, and reasons in Google's details. */
  readonly names: readonly string[];
  /** Google's `RetryInfo` in milliseconds. */
  readonly retryMs: number | null;
  /** Headers that a gateway forwards, as OpenRouter does. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Reads `{error: {...}}`, a list of it (Gemini), and a bare body (Mistral); null for others. */
export function parseErrorBody(value: unknown): ErrorBody | null {
  const root: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof root !== "object" || root === null) return null;
  const inner = "error" in root ? root.error : undefined;
  const parts = [inner, root].map(fieldsOf).filter((part) => part !== null);
  const details = parts.flatMap(({ details: list }) => (Array.isArray(list) ? list : [])).map(fieldsOf);
  const names = [
    ...parts.flatMap(({ code, type, status }) => [code, type, status]),
    ...details.map((detail) => detail?.["reason"]),
  ].flatMap((item) => (typeof item === "string" || typeof item === "number" ? [String(item).toLowerCase()] : []));
  const delay = details.find((detail) => textOf(detail?.["@type"])?.endsWith("/google.rpc.RetryInfo"))?.["retryDelay"];
  const message =
    typeof inner === "string" ? inner : parts.map((part) => textOf(part["message"])).find((text) => text !== null);
  return {
    message: message ?? "",
    names,
    retryMs: typeof delay === "string" ? secondsOf(delay) : null,
    headers:
      parts.map(({ metadata }) => headersOf(fieldsOf(metadata)?.["headers"])).find((item) => item !== null) ?? {},
  };
}

function headersOf(value: unknown): Readonly<Record<string, string>> | null {
  const headers = fieldsOf(value);
  const isText = headers !== null && Object.values(headers).every((item) => typeof item === "string");
  return isText ? (headers as Readonly<Record<string, string>>) : null;
}

/** Reads text; the beginning of a non-JSON text is its message. */
export function readErrorBody(text: string): ErrorBody {
  const plain = { message: text.trim().slice(0, 500), names: [], retryMs: null, headers: {} };
  return parseErrorBody(tryParseJson(text)) ?? plain;
}

/** Milliseconds of a protobuf duration: `36s`, `0.5s`. */
function secondsOf(duration: string): number | null {
  const seconds = /^(\d+(?:\.\d+)?)s$/u.exec(duration)?.[1];
  return seconds === undefined ? null : Number(seconds) * 1000;
}
