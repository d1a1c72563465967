import { configError } from "../errors.ts";

/** Max nesting depth, above that of any configuration or record. */
export const maxJsonDepth = 100;

export interface JsonLimits {
  readonly maxDepth?: number;
  /** Max memory of the parsed value, estimated from the number of lists, objects and keys. */
  readonly maxBytes?: number;
}

/**
 * `JSON.parse` for untrusted text: checks depth and size first, because code that walks deeper values would overflow
 * the stack.
 * @throws SyntaxError
 */
export function boundedJson(text: string, { maxDepth = maxJsonDepth, maxBytes = Infinity }: JsonLimits = {}): unknown {
  const excess = excessOf(text, maxDepth, maxBytes);
  if (excess !== null) throw new SyntaxError(excess);
  return JSON.parse(text.startsWith("\ufeff") ? text.slice(1) : text);
}

/** Like {@link boundedJson}, but undefined for errors. */
export function tryParseJson(text: string, limits?: JsonLimits): unknown {
  try {
    return boundedJson(text, limits);
  } catch {
    return undefined;
  }
}

/**
 * Parses a user's JSON.
 * @throws LaconicError `config_invalid` with its location
 */
export function parseJson(text: string, location: string): unknown {
  try {
    return boundedJson(text);
  } catch (error) {
    throw configError(`${location} is not JSON: ${(error as Error).message}`, { place: location }, error);
  }
}

const [quote, backslash, comma, colon] = [34, 92, 44, 58];
const [listStart, listEnd, objectStart, objectEnd] = [91, 93, 123, 125];

/** Upper bounds in V8: an empty object in a list, another number in it, a new key. */
const [containerBytes, valueBytes, keyBytes] = [64, 16, 96];

function excessOf(text: string, maxDepth: number, maxBytes: number): string | null {
  let depth = 0;
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char === quote) {
      i = stringEnd(text, i);
      if (i < 0) return null;
    } else if (char === listStart || char === objectStart) {
      depth += 1;
      bytes += containerBytes;
      if (depth > maxDepth) return `it is nested more than ${maxDepth} levels deep`;
    } else if (char === listEnd || char === objectEnd) depth -= 1;
    else if (char === comma) bytes += valueBytes;
    else if (char === colon) bytes += keyBytes;
  }
  return bytes > maxBytes ? `it would take more than ${maxBytes / 2 ** 20} MiB of memory` : null;
}

export function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let from = end;
    while (text.charCodeAt(from - 1) === backslash) from -= 1;
    if ((end - from) % 2 === 0) return end;
  }
  return -1;
}
