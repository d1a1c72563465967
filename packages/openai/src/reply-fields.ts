import { isRecord } from "@laconic/core";

/** An object out of a reply. Its fields are whatever the server sent: each is read as what it should be, or as absent. */
export type ReplyFields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): ReplyFields | null {
  return isRecord(value) ? value : null;
}

export function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** A whole number from 0. */
export function countOf(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;
}

/** A list in which every entry can be read; null for anything else. */
export function listOf<T>(value: unknown, read: (entry: unknown) => T | null): readonly T[] | null {
  if (!Array.isArray(value)) return null;
  const entries = value.map(read).filter((entry) => entry !== null);
  return entries.length === value.length ? entries : null;
}
