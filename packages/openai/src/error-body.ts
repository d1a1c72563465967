import { boundedJson } from "@laconic/core";
import { z } from "zod";

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

const name = z.union([z.string(), z.number()]).nullish().catch(null);
const words = z.string().nullish().catch(null);
const detail = z.object({ "@type": words, reason: name, retryDelay: words });
const part = z.object({
  message: words,
  code: name,
  type: name,
  status: name,
  details: z.array(detail.catch({})).nullish().catch(null),
  metadata: z
    .object({ headers: z.record(z.string(), z.string()).nullish().catch(null) })
    .nullish()
    .catch(null),
});
type Part = z.infer<typeof part>;

/** Reads `{error: {...}}`, the same in a list (Gemini), and an error that is the body itself (Mistral); null for none. */
export function parseErrorBody(value: unknown): ErrorBody | null {
  const root: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof root !== "object" || root === null) return null;
  const inner = "error" in root ? root.error : undefined;
  const parts = [inner, root].flatMap((each): Part[] => {
    const { data } = part.safeParse(each);
    return data ? [data] : [];
  });
  const details = parts.flatMap(({ details: list }) => list ?? []);
  const names = [
    ...parts.flatMap(({ code, type, status }) => [code, type, status]),
    ...details.map(({ reason }) => reason),
  ].flatMap((each) => (each === null || each === undefined ? [] : [String(each).toLowerCase()]));
  const delay = details.find((each) => each["@type"]?.endsWith("/google.rpc.RetryInfo"))?.retryDelay;
  const message = typeof inner === "string" ? inner : parts.find((each) => typeof each.message === "string")?.message;
  return {
    message: message ?? "",
    names,
    retryMs: delay ? secondsOf(delay) : null,
    headers: parts.find(({ metadata }) => metadata?.headers)?.metadata?.headers ?? {},
  };
}

/** The same of a text; what is no JSON has its beginning for a message. */
export function readErrorBody(text: string): ErrorBody {
  const plain = { message: text.trim().slice(0, 500), names: [], retryMs: null, headers: {} };
  try {
    return parseErrorBody(boundedJson(text)) ?? plain;
  } catch {
    return plain;
  }
}

/** Milliseconds of a duration of Google's protobuf: `36s`, `0.5s`. */
function secondsOf(duration: string): number | null {
  const seconds = /^(\d+(?:\.\d+)?)s$/u.exec(duration)?.[1];
  return seconds === undefined ? null : Number(seconds) * 1000;
}
