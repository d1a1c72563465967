import { tryParseJson } from "@laconic/core/json";
import { fieldsOf, textOf } from "./reply-fields.ts";

/** What a server says of its own error. */
export interface ErrorBody {
  /** Its words, for people alone: nothing is decided by them. */
  readonly message: string;
  /** Its names for the error, in lower case: of the fields `code`, `type`, `status`, and the reasons of Google's details. */
  readonly names: readonly string[];
  /** Milliseconds that Google's `RetryInfo` asks to wait. */
  readonly retryMs: number | null;
  /** Headers that a gateway hands on from the server behind it, as OpenRouter does. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Reads `{error: {...}}`, the same in a list (Gemini), and an error that is the body itself (Mistral); null for none. */
export function parseErrorBody(value: unknown): ErrorBody | null {
  const root: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof root !== "object" || root === null) return null;
  const inner = "error" in root ? root.error : undefined;
  const parts = [inner, root].map(fieldsOf).filter((part) => part !== null);
  const details = parts.flatMap(({ details: list }) => (Array.isArray(list) ? list : [])).map((each) => fieldsOf(each));
  const names = [
    ...parts.flatMap(({ code, type, status }) => [code, type, status]),
    ...details.map((each) => each?.["reason"]),
  ].flatMap((each) => (typeof each === "string" || typeof each === "number" ? [String(each).toLowerCase()] : []));
  const delay = details.find((each) => textOf(each?.["@type"])?.endsWith("/google.rpc.RetryInfo"))?.["retryDelay"];
  const message =
    typeof inner === "string" ? inner : parts.map((part) => textOf(part["message"])).find((each) => each !== null);
  return {
    message: message ?? "",
    names,
    retryMs: typeof delay === "string" ? secondsOf(delay) : null,
    headers:
      parts.map(({ metadata }) => headersOf(fieldsOf(metadata)?.["headers"])).find((each) => each !== null) ?? {},
  };
}

/** Headers, where all of them are text. */
function headersOf(value: unknown): Readonly<Record<string, string>> | null {
  const headers = fieldsOf(value);
  const isText = headers !== null && Object.values(headers).every((each) => typeof each === "string");
  return isText ? (headers as Readonly<Record<string, string>>) : null;
}

/** The same of a text; what is no JSON has its beginning for a message. */
export function readErrorBody(text: string): ErrorBody {
  const plain = { message: text.trim().slice(0, 500), names: [], retryMs: null, headers: {} };
  return parseErrorBody(tryParseJson(text)) ?? plain;
}

/** Milliseconds of a duration of Google's protobuf: `36s`, `0.5s`. */
function secondsOf(duration: string): number | null {
  const seconds = /^(\d+(?:\.\d+)?)s$/u.exec(duration)?.[1];
  return seconds === undefined ? null : Number(seconds) * 1000;
}
