/** Object with unchecked values. */
export type UnknownRecord = Readonly<Record<string, unknown>>;

/** Whether a value is an object and not a list. */
export function isRecord(value: unknown): value is UnknownRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
