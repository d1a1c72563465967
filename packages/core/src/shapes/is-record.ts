/** Object with unchecked values. */
export type UnknownRecord = Readonly<Record<string, unknown>>;

/** Whether a value is an object and not a list. */
export function isRecord(value: unknown): value is UnknownRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Record with the same keys and changed values. */
export function mapValues<Value, Result>(
  record: Readonly<Record<string, Value>>,
  change: (value: Value, key: string) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}

type Present<Fields> = { [Name in keyof Fields]?: NonNullable<Fields[Name]> };

/** Fields that have a value: leaves out undefined and null, which optional properties refuse. */
export function present<Fields extends object>(fields: Fields): Present<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries) as Present<Fields>;
}
