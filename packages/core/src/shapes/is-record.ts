/** An object whose values nobody has looked at yet. */
export type UnknownRecord = Readonly<Record<string, unknown>>;

/** Whether a value is an object and no list. */
export function isRecord(value: unknown): value is UnknownRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
