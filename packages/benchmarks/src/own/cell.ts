import { nearestName } from "@laconic/core";
import { exactJson, JsonText } from "@laconic/core/json";

/**
 * The value of a column; `a.b` is b of the object a where no column is called `a.b`.
 * @returns undefined for a column that the row does not have, or whose value is null
 */
export function valueAt(row: Readonly<Record<string, unknown>>, column: string): unknown {
  if (Object.hasOwn(row, column)) return row[column] ?? undefined;
  let at: unknown = row;
  for (const name of column.split(".")) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[name];
  }
  return at ?? undefined;
}

/** A text, or a number or truth value as its file writes it; of anything else, what to do about it. */
export function textOf(value: unknown, column: string): { readonly text: string } | { readonly reason: string } {
  if (typeof value === "string") return { text: value };
  if (value instanceof JsonText) return { text: value.text };
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean")
    return { text: String(value) };
  if (value instanceof Date) return { text: value.toISOString() };
  if (Array.isArray(value)) return { reason: `${column} is a list of ${value.length}, expected one text or number` };
  const keys = Object.keys(value as object);
  return {
    reason: `${column} is an object; name what is meant in it, as ${keys.map((key) => `${column}.${key}`).join(" or ")}`,
  };
}

/** What a cell says: JSON where it is an object or a list, else the cell. */
export function jsonIn(cell: unknown): unknown {
  if (typeof cell !== "string" || !/^\s*[[{]/u.test(cell)) return cell;
  try {
    return exactJson(cell);
  } catch {
    return cell;
  }
}

/** Says that a row lacks a column, what it has instead, and which setting names it. */
export function missing(row: Readonly<Record<string, unknown>>, column: string, setting: string): string {
  const there = Object.keys(row);
  const near = nearestName(column, there);
  const advice = `columns.${setting} names another${near === undefined ? "" : `, such as ${near}`}`;
  const state = Object.hasOwn(row, column) ? "is empty" : "is no column";
  return `${column} ${state}; the row has ${there.join(", ") || "none"}: ${advice}`;
}
