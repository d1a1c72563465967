import { isRecord, mapValues } from "@laconic/core";
import { parseJson } from "@laconic/core/json";
import { hashOf } from "./recognition.ts";

/** Shorter strings are stored in place. */
const sharedLength = 64;
const marker = "$laconic-text";

/** Changes a JSON value from the outside in. */
export function mapJson(value: unknown, change: (item: unknown) => unknown): unknown {
  const changed = change(value);
  if (Array.isArray(changed)) return changed.map((item) => mapJson(item, change));
  return isRecord(changed) ? mapValues(changed, (item) => mapJson(item, change)) : changed;
}

/**
 * JSON text of a request. Long strings are hashes of texts, so that a repeated message is stored once.
 * @param texts - receives the texts by hash
 * @param key - text that is not stored
 */
export function packRequest(body: unknown, texts: Map<string, string>, key: string): string {
  return JSON.stringify(
    mapJson(body, (item) => {
      if (typeof item !== "string") return item;
      const text = redacted(item, key);
      if (text.length < sharedLength) return text;
      const hash = hashOf(text);
      texts.set(hash, text);
      return { [marker]: hash };
    }),
  );
}

/** Request of a packed text; undefined if a text is missing, as with texts that were not stored. */
export function unpackRequest(packed: string, texts: ReadonlyMap<string, string>): unknown {
  let isWhole = true;
  const body = mapJson(parseJson(packed, "recorded request"), (item) => {
    const hash = isRecord(item) ? item[marker] : undefined;
    if (typeof hash !== "string") return item;
    isWhole &&= texts.has(hash);
    return texts.get(hash);
  });
  return isWhole ? body : undefined;
}

export function redacted(text: string, key: string): string {
  return key === "" ? text : text.replaceAll(key, "[key]");
}
