import { spaced } from "../data/texts.ts";

/**
 * A value as the text of an element that no script reads: nothing in it ends the element. Numbers have six digits that count.
 */
export function embeddedJson(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === "number" && !Number.isInteger(each) ? Number(each.toPrecision(6)) : each,
  ).replaceAll("<", String.raw`\u003c`);
}

/** Bytes of it in the file. */
export function embeddedBytes(value: unknown): number {
  return Buffer.byteLength(embeddedJson(value));
}

/** As many of them as there is room for. */
export function fitting<T>(all: readonly T[], maxBytes: number): readonly T[] {
  const mean = embeddedBytes(all) / Math.max(1, all.length);
  const count = Math.max(2, Math.floor(maxBytes / mean));
  return spaced(all, count);
}
